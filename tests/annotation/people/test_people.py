"""Who deletes their account leaves the work, without the name, and every count as it was."""

import pytest
from django.db import connection
from django.urls import reverse

from annotation.models import Annotation, Assignment, AssignmentRecord, Member, Revision, Role
from annotation.selectors.agreement.answers import agreement_data
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.progress import project_progress
from annotation.selectors.projects import events_of
from annotation.services.invitations import InvitationTerms, invitation_accept, invitation_create
from annotation.services.life_cycle import project_hand_over
from annotation.services.projects import ProjectAct, member_add, member_let_in, member_take_out
from annotation.services.schemes import keys_choose
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
    assert "alone" not in agreement_data(crew.project).left_out
    assert len(agreement_data(crew.project).captions) == 1
    assert "deleted the account" in events_of(crew.project)[0]["text"]
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
    assert events_of(crew.project)[0]["text"] == "made shortly-here annotator"
    new.delete()
    assert not Member.objects.filter(name__startswith="a former").exists()
    assert events_of(crew.project)[0]["text"] == "made someone who left annotator"


def test_people_are_told_of_roles_invitations_and_owners_by_pages_that_they_may_see(
    crew: Crew, mailoutbox: list[object]
) -> None:
    act, project = ProjectAct(crew.manager, NOW), crew.project
    name, by = project.name, crew.manager.username
    second = member_add(project=project, user=UserFactory.create(), role=Role.MANAGER)

    def told(user: User) -> list[str]:
        notices = list(Notice.objects.filter(user=user).order_by("pk"))
        Notice.objects.filter(user=user).delete()
        assert all(crew.client(user).get(one.path).status_code == 200 for one in notices)
        return [one.text for one in notices]

    for _ in range(2):
        project_hand_over(project=project, to=second, act=act)
    assert notices_mail(now=NOW) == len(mailoutbox) == 2, "who owns it already is told nothing"
    (new,), (old,) = told(second.user), told(crew.manager)
    assert new.startswith(f"{by} handed {name} over to you")
    assert old == (
        f"{name} was handed over to {second.user.username}. You are still a manager of it."
    )
    terms = InvitationTerms(Role.ADJUDICATOR, uses=2)
    token = invitation_create(project=project, terms=terms, act=act)
    for _ in range(2):
        invitation_accept(token=token, user=crew.outsider, now=NOW)
    guest = crew.outsider.username
    assert told(crew.manager) == [f"{guest} accepted your invitation into {name}: adjudicator."]
    for role in (Role.ADJUDICATOR, Role.ANNOTATOR):
        member_let_in(project=project, user=crew.outsider, role=role, act=act)
    assert told(crew.outsider) == [f"{by} gave you another role in {name}. Your role: annotator."]
    member_take_out(member=Member.objects.get(user=crew.outsider), act=act)
    (removed,) = Notice.objects.filter(user=crew.outsider)
    assert removed.text == f"{by} removed you from {name}. Your answers stay in the project."
