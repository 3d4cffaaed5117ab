"""Managers who change a project at the same moment, on the real database."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.db import transaction

from annotation.models import Annotation, Project, Role
from annotation.selectors.closing import contents_stamp, project_contents
from annotation.selectors.schemes import SchemeDraft, UnreadableLabels
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.formats.waiting_imports import archive_confirm, archive_prepare
from annotation.services.life_cycle import project_change, project_delete, project_set_closed
from annotation.services.projects import (
    ProjectAct,
    ProjectRules,
    ProjectSettings,
    member_add,
    member_let_in,
    slug_for,
)
from annotation.services.schemes import scheme_publish
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW, Crew
from tests.annotation.formats.test_imports import record
from tests.annotation.formats.test_undoing_imports import bring
from tests.annotation.labelled import label
from tests.factories import UserFactory
from tests.waiting import elsewhere, waits

pytestmark = pytest.mark.django_db(transaction=True)


def test_settings_saved_during_the_closing_leave_it_closed(crew: Crew) -> None:
    """The request read the project while it was open."""
    act, before = ProjectAct(crew.manager, NOW), Project.objects.get()
    settings = ProjectSettings("Renamed", ProjectRules())
    with transaction.atomic():
        project_set_closed(project=crew.project, closed=True, act=act)
        saving = elsewhere(lambda: project_change(project=before, settings=settings, act=act))
        assert waits(saving)
    saving.result()
    project = Project.objects.get()
    assert (project.name, project.closed) == ("Renamed", True)


def test_a_file_that_comes_in_while_labels_change_keeps_none_of_before(crew: Crew) -> None:
    """Nobody would rename them later: the new version has looked at all answers already."""
    project = Project.objects.select_related("scheme").get()
    base = project.scheme
    who, *others = base.inventory
    draft = SchemeDraft("Ours", "", (replace(who, name="BEING"), *others), {"WHO": "BEING"})
    with transaction.atomic():
        scheme_publish(
            project=crew.project, draft=draft, base=base, act=ProjectAct(crew.manager, NOW)
        )
        coming = elsewhere(lambda: bring(project, record("x", (1, 1, "WHO"))))
        assert waits(coming)
    with pytest.raises(UnreadableLabels, match="labels of the project changed"):
        coming.result()
    assert not Annotation.objects.exists()


def test_of_two_managers_who_take_each_others_role_one_stays(crew: Crew) -> None:
    """Nobody owns the project, so that nobody stays for that."""
    second = UserFactory.create()
    member_add(project=crew.project, user=second, role=Role.MANAGER)
    Project.objects.update(owner=None)

    def lower(user: User, by: User) -> None:
        act = ProjectAct(by, NOW)
        member_let_in(project=crew.project, user=user, role=Role.ANNOTATOR, act=act)

    with transaction.atomic():
        lower(second, crew.manager)
        other = elsewhere(lambda: lower(crew.manager, second))
        assert waits(other)
    with pytest.raises(Refused, match="needs a manager"):
        other.result()
    assert crew.project.members.filter(role=Role.MANAGER).count() == 1


def test_an_archive_that_is_confirmed_twice_makes_one_project(crew: Crew, tmp_path: Path) -> None:
    """By a double click; the first is still at work when the second arrives."""
    act, path = ProjectAct(crew.manager, NOW), tmp_path / "project.zip"
    path.write_bytes(b"".join(project_archive_download(crew.project).pieces))
    waiting = archive_prepare(path=path, act=act)

    def confirm() -> Project:
        return archive_confirm(waiting=waiting, people={}, act=act)

    with transaction.atomic():
        # Holds the first up, which wants the same address.
        slug = slug_for(crew.project.name)
        Project.objects.create(slug=slug, name="x", scheme=crew.project.scheme)
        first = elsewhere(confirm)
        assert waits(first)
        with pytest.raises(Refused, match="imported or discarded"):
            confirm()
        transaction.set_rollback(True)
    first.result()
    assert Project.objects.count() == 2


def test_deleting_waits_for_an_answer_on_its_way_and_asks_again(crew: Crew) -> None:
    act, seen = ProjectAct(crew.manager, NOW), contents_stamp(project_contents(crew.project))
    with transaction.atomic():
        label(crew.items[0], crew.ann)
        deleting = elsewhere(lambda: project_delete(project=crew.project, seen=seen, act=act))
        assert waits(deleting)
    with pytest.raises(Refused, match="Check the numbers again"):
        deleting.result()
    assert Annotation.objects.exists()
