"""Who deletes their account leaves the work, without the name, and every count as it was."""

import pytest
from django.db import connection
from django.urls import reverse

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    Member,
    Project,
    Revision,
    Role,
)
from annotation.selectors.agreement.answers import agreement_data
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.progress import project_progress
from annotation.selectors.project_contents import project_contents
from annotation.selectors.projects import events_of
from annotation.services.invitations import InvitationTerms, invitation_accept, invitation_create
from annotation.services.labels import keys_choose
from annotation.services.life_cycle import project_archive, project_delete, project_hand_over
from annotation.services.projects import ProjectAct, member_add, member_let_in, member_take_out
from annotation.services.tasks import tasks_take
from leaderboard.models import Notice, User
from leaderboard.services.people.notices import notices_mail
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.annotation.labelled import disputed_first, label
from tests.factories import UserFactory

FIRST, SECOND = "a former annotator 1", "a former annotator 2"


def test_the_work_stays_and_nothing_tells_whose_it_was(crew: Crew) -> None:
    item = disputed_first(crew)
    before, whole = agreement_data(crew.project), project_progress(crew.project)
    name, pk = crew.ann.username, crew.ann.pk
    kept = item.annotations.get(user=crew.ann)
    crew.ann.delete()
    kept.refresh_from_db()
    assert not kept.user.is_active
    assert not kept.user.has_usable_password()
    assert Revision.objects.filter(annotation=kept).count() == 1
    assert project_progress(crew.project) == whole
    after = agreement_data(crew.project)
    assert after.captions[0].labellings.keys() == {str(kept.user_id), str(crew.bob.pk)}
    assert list(after.people.values()) == [FIRST, crew.bob.username]
    assert [one.labellings[str(pk)] for one in before.captions] == [
        one.labellings[str(kept.user_id)] for one in after.captions
    ]
    told = [work.annotator for work in export_rows(crew.project, ExportSelection())]
    assert FIRST in told
    assert name not in told


@pytest.mark.django_db(transaction=True)
def test_the_database_holds_no_work_of_nobody_and_what_was_held_is_free(crew: Crew) -> None:
    """Also where administrators delete many at once."""
    disputed_first(crew)
    tasks_take(project=crew.project, user=crew.ann, count=2, now=NOW, lease=LEASE)
    User.objects.filter(pk__in=[crew.ann.pk, crew.bob.pk]).delete()
    connection.check_constraints()
    assert Assignment.objects.filter(project=crew.project, done=False, user=None).count() == 6
    assert not Assignment.objects.filter(done=True, user=None).exists()
    assert not Assignment.objects.filter(done=True, annotation=None).exists()
    assert AssignmentRecord.objects.filter(user__is_active=True).count() == 0
    assert agreement_data(crew.project).left_out.alone == 0
    assert len(agreement_data(crew.project).captions) == 1
    assert "deleted the account" in events_of(crew.project)[0].text
    page = reverse("annotation:people", args=[crew.project.slug])
    assert FIRST in crew.client(crew.manager).get(page).content.decode()


def test_former_people_are_numbered_and_another_one_in_each_project(crew: Crew) -> None:
    second = make_project(crew.manager, texts=("a dog barks",))
    for project in (crew.project, second):
        for user in (crew.ann, crew.bob):
            label(project.items.all()[0], user, (1, 1, "WHO"))
    crew.ann.delete()
    crew.bob.delete()
    for project in (crew.project, second):
        names = set(project.members.values_list("name", flat=True))
        assert {FIRST, SECOND} <= names
    assert len(set(Annotation.objects.values_list("user", flat=True))) == 4


def test_who_never_labelled_leaves_no_trace_but_in_the_trail(crew: Crew) -> None:
    act = ProjectAct(crew.manager, NOW)
    new = UserFactory.create(username="shortly-here")
    member_let_in(project=crew.project, user=new, role="annotator", act=act)  # type: ignore[arg-type]
    keys_choose(user=new, scheme=crew.project.scheme, keys={"accept": "z"}, now=NOW)
    assert events_of(crew.project)[0].text == "made shortly-here annotator"
    new.delete()
    assert not Member.objects.filter(name__startswith="a former").exists()
    assert events_of(crew.project)[0].text == "made someone who left annotator"


# -- notices -------------------------------------------------------------------------------


def act(crew: Crew) -> ProjectAct:
    return ProjectAct(crew.manager, NOW)


def told(user: User) -> list[str]:
    return [notice.text for notice in Notice.objects.filter(user=user)]


def path(user: User) -> str:
    return Notice.objects.get(user=user).path


def leads_on(crew: Crew, user: User) -> bool:
    """Whether the page of the notice is there for who has it."""
    return crew.client(user).get(path(user)).status_code == 200


def test_both_owners_are_told_of_a_handing_over(crew: Crew, mailoutbox: list[object]) -> None:
    second = member_add(project=crew.project, user=UserFactory.create(), role=Role.MANAGER)
    project_hand_over(project=crew.project, to=second, act=act(crew))
    (new,), (old,) = told(second.user), told(crew.manager)
    assert new.startswith(f"{crew.manager.username} handed {crew.project.name} over to you")
    assert old == (
        f"{crew.project.name} was handed over to {second.user.username}. "
        "You are still a manager of it."
    )
    assert leads_on(crew, second.user)
    assert leads_on(crew, crew.manager)
    assert notices_mail(now=NOW) == len(mailoutbox) == 2
    project_hand_over(project=crew.project, to=second, act=act(crew))
    assert Notice.objects.count() == 2, "who owns it already is told nothing"


def test_who_has_captions_left_is_told_of_archiving_and_deleting(crew: Crew) -> None:
    for item in crew.items:
        label(item, crew.bob)
    project_archive(project=crew.project, act=act(crew))
    name = crew.project.name
    (archived,) = told(crew.ann)
    assert archived.startswith(f"{crew.manager.username} archived {name}. You get no more")
    assert leads_on(crew, crew.ann)
    assert told(crew.bob) == told(crew.manager) == [], "nothing left, and who did it"
    project_archive(project=crew.project, act=act(crew))
    seen = project_contents(crew.project).stamp
    project_delete(project=crew.project, seen=seen, act=act(crew))
    assert Notice.objects.count() == 2, "ann and the adjudicator; a closed project has none left"


def test_deleting_an_open_project_tells_and_leads_to_no_project(crew: Crew) -> None:
    name = crew.project.name
    seen = project_contents(crew.project).stamp
    project_delete(project=crew.project, seen=seen, act=act(crew))
    assert told(crew.ann) == [
        f"{crew.manager.username} deleted {name} with all captions and answers in it."
    ]
    assert path(crew.ann) == ""
    page = crew.client(crew.ann).get(reverse("leaderboard:notices"))
    assert name in page.content.decode()


def test_whose_invitation_is_accepted_is_told_once(crew: Crew) -> None:
    terms = InvitationTerms(Role.ADJUDICATOR, uses=2)
    token = invitation_create(project=crew.project, terms=terms, act=act(crew))
    for _ in range(2):
        invitation_accept(token=token, user=crew.outsider, now=NOW)
    assert told(crew.manager) == [
        f"{crew.outsider.username} accepted your invitation into {crew.project.name}: adjudicator."
    ]
    assert leads_on(crew, crew.manager)


def test_who_is_let_in_given_a_role_or_taken_out_is_told(crew: Crew) -> None:
    name, by = crew.project.name, crew.manager.username
    for role in (Role.ANNOTATOR, Role.ANNOTATOR, Role.ADJUDICATOR):
        member_let_in(project=crew.project, user=crew.outsider, role=role, act=act(crew))
    member_take_out(member=Member.objects.get(user=crew.outsider), act=act(crew))
    assert sorted(told(crew.outsider)) == sorted(
        [
            f"{by} added you to {name}. Your role: annotator.",
            f"{by} gave you another role in {name}. Your role: adjudicator.",
            f"{by} removed you from {name}. Your answers stay in the project.",
        ]
    )


def test_who_does_it_alone_is_told_nothing(crew: Crew) -> None:
    member_add(project=crew.project, user=UserFactory.create(), role=Role.MANAGER)
    Project.objects.update(owner=None)
    own = Member.objects.get(user=crew.manager)
    member_take_out(member=own, act=act(crew))
    assert not Notice.objects.exists()
