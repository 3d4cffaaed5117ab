"""Who deletes their account leaves the work, without the name, and every count as it was."""

import pytest
from django.db import connection
from django.urls import reverse

from annotation.models import Annotation, Assignment, AssignmentRecord, Member, Project, Revision
from annotation.selectors.agreement.answers import agreement_data
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.progress import project_progress
from annotation.selectors.projects import events_of
from annotation.services.labels import keys_choose
from annotation.services.projects import ProjectAct, member_let_in
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.annotation.labelled import disputed_first, label
from tests.factories import UserFactory

pytestmark = pytest.mark.one_database

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


def test_assignments_that_were_held_are_free_and_those_done_stay_done(crew: Crew) -> None:
    disputed_first(crew)
    tasks_take(project=crew.project, user=crew.ann, count=2, now=NOW, lease=LEASE)
    crew.ann.delete()
    open_assignments = Assignment.objects.filter(project=crew.project, done=False)
    assert open_assignments.filter(user=None).count() == 6
    assert not Assignment.objects.filter(done=True, user=None).exists()
    assert not Assignment.objects.filter(done=True, annotation=None).exists()
    assert AssignmentRecord.objects.filter(user__is_active=True).count() == 0


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


def test_many_are_deleted_at_once_as_administrators_do(crew: Crew) -> None:
    disputed_first(crew)
    User.objects.filter(pk__in=[crew.ann.pk, crew.bob.pk]).delete()
    assert agreement_data(crew.project).left_out.alone == 0
    assert len(agreement_data(crew.project).captions) == 1
    assert "deleted the account" in events_of(crew.project)[0].text


@pytest.mark.django_db(transaction=True)
def test_the_database_holds_no_work_of_nobody(crew: Crew) -> None:
    disputed_first(crew)
    crew.ann.delete()
    connection.check_constraints()
    page = reverse("annotation:people", args=[crew.project.slug])
    assert FIRST in crew.client(crew.manager).get(page).content.decode()
    assert Project.objects.get(pk=crew.project.pk).members.filter(name=FIRST).exists()
