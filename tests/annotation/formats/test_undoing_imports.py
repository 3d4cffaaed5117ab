"""An import is taken back whole, as long as nobody worked on what it brought."""

import json
from io import BytesIO
from typing import Any

import pytest

from annotation.models import (
    Annotation,
    Assignment,
    Import,
    ImportState,
    Item,
    Member,
    Project,
    Revision,
    RunState,
    TrainingRun,
)
from annotation.selectors.imports import import_undoing
from annotation.selectors.schemes import InventoryChoice
from annotation.services.adjudication import gold_accept_single
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import, import_undo
from annotation.services.projects import ProjectAct
from annotation.services.tasks import tasks_take
from leaderboard.models import AuditEvent, User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.annotation.formats.test_imports import record
from tests.annotation.labelled import label
from tests.annotation.projects.manage_page import show
from tests.annotation.trained import make_training
from tests.leaderboard.scored_pages import text


def bring(project: Project, *rows: dict[str, Any], name: str = "x.jsonl") -> Import:
    """Import these records as labels of the project."""
    file = LabelFile(BytesIO("\n".join(map(json.dumps, rows)).encode()), name)
    choice = FileChoice(InventoryChoice("aces-13"))
    file_import(project=project, file=file, choice=choice, actor=None, now=NOW)
    return Import.objects.latest("pk")


def undo(crew: Crew, found: Import) -> None:
    import_undo(record=found, act=ProjectAct(crew.manager, NOW))


def state_of(project: Project) -> tuple[Any, ...]:
    """All that an import can change."""
    items = Item.objects.filter(project=project)
    return (
        list(items.order_by("pk").values("pk", "key", "position", "copies")),
        list(
            Assignment.objects.filter(project=project)
            .order_by("item", "number")
            .values("item", "number", "user", "done", "expires_at")
        ),
        list(Annotation.objects.filter(item__project=project).order_by("pk").values()),
        list(Member.objects.filter(project=project).values("user", "name", "role")),
        set(User.objects.values_list("pk", flat=True)),
        Revision.objects.count(),
    )


def test_after_it_was_taken_back_files_ask_for_as_many_answers_as_they_bring(crew: Crew) -> None:
    """Numbers of assignments have a gap then, and are no count."""
    here = {"text": crew.items[0].text}
    first = bring(crew.project, *({**record(name), **here} for name in "xyz"))
    bring(crew.project, {**record("w"), **here})
    undo(crew, first)
    bring(crew.project, *({**record(name), **here} for name in "opqr"))
    item = Item.objects.get(pk=crew.items[0].pk)
    assert item.copies == item.assignments.count() == 5


def test_taken_back_all_is_as_it_was_before(crew: Crew) -> None:
    """Captions, answers, assignments, members: the caption that was there loses nothing."""
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    before = state_of(crew.project)
    here = {"text": crew.items[0].text}
    found = bring(
        crew.project,
        record("x", (2, 2, "WHO")),
        {**record("x", (1, 1, "WHO")), **here},
        {**record("y", (1, 1, "WHO")), **here},
        {"text": "one cat"},
    )
    # One of two assignments was free, and the second session made the caption go to three.
    assert Item.objects.get(pk=crew.items[0].pk).copies == 3
    seen = import_undoing(found)
    counts = ("captions", "annotations", "kept", "members")
    assert [seen[name] for name in counts] == [2, 3, 1, 2]
    undo(crew, found)
    assert state_of(crew.project) == before
    found.refresh_from_db()
    assert (found.state, found.undone_by, found.undone_at) == (
        ImportState.UNDONE,
        crew.manager,
        NOW,
    )
    assert found.report["annotations"] == 3
    event = AuditEvent.objects.get(action="labelling.import-undo")
    assert event.details == {"file": "x.jsonl", "captions": 2, "annotations": 3}
    assert "took back 2 captions and 3 annotations from x.jsonl" in show(crew)


def test_two_imports_on_one_caption_are_taken_back_in_either_order(crew: Crew) -> None:
    here = {"text": crew.items[0].text}
    before = state_of(crew.project)
    one = bring(crew.project, *({**record(name), **here} for name in "abc"), name="one")
    other = bring(crew.project, *({**record(name), **here} for name in "de"), name="other")
    assert Item.objects.get(pk=crew.items[0].pk).copies == 5
    undo(crew, one)
    item = Item.objects.get(pk=crew.items[0].pk)
    assert (item.copies, item.assignments.count()) == (4, 4)
    undo(crew, other)
    assert [row["copies"] for row in state_of(crew.project)[0]] == [
        row["copies"] for row in before[0]
    ]
    assert not Assignment.objects.filter(project=crew.project, done=True).exists()


def test_captions_at_hand_do_not_stand_against_it_and_members_with_other_work_stay(
    crew: Crew,
) -> None:
    project = make_project(crew.manager, texts=())
    found = bring(project, {"text": "one cat"}, record("x", (2, 2, "WHO")))
    bring(project, {**record("x", (1, 1, "WHO")), "text": "a bad cat"})
    tasks_take(project=project, user=crew.manager, count=1, now=NOW, lease=LEASE)
    seen = import_undoing(found)
    assert (seen["at_hand"], seen["holders"], seen["reasons"]) == (1, 1, [])
    undo(crew, found)
    assert [item.text for item in project.items.all()] == ["a bad cat"]
    assert project.members.filter(name="x").exists()


def answered(crew: Crew, found: Import) -> str:
    label(found.items.get(text="one cat"), crew.ann)
    return "1 answer to its captions was made here."


def changed(crew: Crew, found: Import) -> str:
    row = found.annotations.get()
    label(row.item, row.user, (0, 0, "OTHER"))
    return "1 answer that it added was changed here."


def settled(crew: Crew, found: Import) -> str:
    Item.objects.filter(imported_in=found).update(copies=1)
    Assignment.objects.filter(item__imported_in=found, number=2).delete()
    assert gold_accept_single(project=crew.project, by=crew.judge, now=NOW) == 1
    return "1 caption of it was settled."


def brought_more(crew: Crew, found: Import) -> str:
    bring(crew.project, record("z", (3, 3, "HOW")), name="later.jsonl")
    return '1 answer to its captions came with the file "later.jsonl". Take that import back first.'


def trained(crew: Crew, found: Import) -> str:
    run = make_training(crew.project)
    TrainingRun.objects.filter(pk=run.pk).update(state=RunState.DONE, created_at=NOW)
    return f"Training {run.number} of {crew.project.name} used its labels."


@pytest.mark.parametrize("work", [answered, changed, settled, brought_more, trained])
def test_where_somebody_worked_on_it_it_stays_and_says_why(crew: Crew, work: Any) -> None:
    found = bring(crew.project, record("x", (2, 2, "WHO")), {"text": "one cat"})
    reason = work(crew, found)
    before = state_of(crew.project)
    with pytest.raises(Refused) as refused:
        undo(crew, found)
    assert str(refused.value) == f"The import cannot be taken back. {reason}"
    address = f"/annotate/{crew.project.slug}/manage/imports/{found.pk}/undo/"
    client = crew.client(crew.manager)
    for response in (client.get(address), client.post(address, {"undo": "yes"})):
        html = text(response.content)
        assert "x.jsonl cannot be taken back" in html
        assert reason in html
    assert state_of(crew.project) == before


def test_a_training_that_failed_or_came_before_does_not_stand_against_it(crew: Crew) -> None:
    run = make_training(crew.project)
    TrainingRun.objects.filter(pk=run.pk).update(created_at=NOW.replace(year=2020))
    found = bring(crew.project, record("x", (2, 2, "WHO")))
    assert import_undoing(found)["reasons"] == []
    TrainingRun.objects.filter(pk=run.pk).update(created_at=NOW, state=RunState.FAILED)
    assert import_undoing(found)["reasons"] == []
