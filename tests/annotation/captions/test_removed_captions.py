"""Captions that a manager removed: out of everything, kept whole, and brought back as they were."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.apps import apps
from django.http import Http404
from django.urls import reverse

from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    AssignmentRecord,
    Gold,
    Item,
    PastGold,
    QualificationCaption,
)
from annotation.selectors.adjudication.cases import adjudication_board
from annotation.selectors.agreement.answers import agreement_data, agreement_stamp
from annotation.selectors.captions.effects import caption_removal
from annotation.selectors.closing import closing_of, project_contents
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.progress import own_progress, project_progress
from annotation.selectors.projects import events_of, member_rows
from annotation.selectors.qualification import serving_items
from annotation.services.adjudication import (
    Decision,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from annotation.services.captions import captions_bring_back, captions_remove
from annotation.services.formats.imports import file_read, records_import
from annotation.services.people import person_leaves
from annotation.services.projects import ProjectAct, Task, items_add, member_remove
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.captions.test_caption_browser import numbers
from tests.annotation.captions.test_caption_browser import show as show_list
from tests.annotation.captions.test_caption_selection import send, took, words
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import agreed_second, disputed_first, label


def act(crew: Crew) -> ProjectAct:
    return ProjectAct(crew.manager, NOW)


def remove(crew: Crew, *items: Item) -> None:
    chosen = [item.pk for item in items]
    seen = caption_removal(chosen)["stamp"]
    captions_remove(project=crew.project, items=chosen, seen=seen, act=act(crew))


def bring_back(crew: Crew, *items: Item) -> int:
    return captions_bring_back(
        project=crew.project, items=[item.pk for item in items], act=act(crew)
    )


def put(crew: Crew, user: User, item: Item, base: int = 0) -> Any:
    address = f"/api/v1/labelling/{crew.project.slug}/items/{item.pk}/annotation"
    change = {"edit": f"edit-{base}-{item.pk}", "base": base, "spans": []}
    return crew.client(user).put(address, change, content_type="application/json")


def labelled(crew: Crew) -> Item:
    """The first caption in dispute, the second settled, the third answered by one."""
    first = disputed_first(crew)
    agreed_second(crew)
    label(crew.items[2], crew.ann, (0, 1, "WHO"), comment="this is no sound")
    gold_accept_unanimous(project=crew.project, by=crew.judge, now=NOW)
    return first


def figures(crew: Crew) -> dict[str, Any]:
    """What the project says of its work, all over."""
    project = crew.project
    data, board = agreement_data(project), adjudication_board(project)
    return {
        "progress": project_progress(project),
        "own": [own_progress(project, user, NOW) for user in (crew.ann, crew.bob)],
        "closing": closing_of(project),
        "agreement": (len(data.captions), data.left_out),
        "board": [len(rows) for rows in (board.to_decide, board.agreed, board.settled)],
        "export": [(row.text, row.annotator) for row in export_rows(project, ExportSelection())],
        "gold": [row.text for row in export_rows(project, ExportSelection("gold"))],
        "members": [(row["answered"], row["skipped"]) for row in member_rows(project, NOW)],
        "tests": list(serving_items(project).values_list("pk", flat=True)),
    }


def stored() -> list[Any]:
    tables: tuple[Any, ...] = (Item, Assignment, Annotation, Gold, PastGold)
    return [list(table.with_removed.order_by("pk").values()) for table in tables]


def test_no_reader_of_any_table_can_forget_that_a_caption_is_removed(crew: Crew) -> None:
    """Tables of a caption leave it out by their default manager; each that does not is named."""
    item = labelled(crew)
    remove(crew, *crew.items)
    # Who was once handed a caption may bring work on it; qualification captions are copies.
    others = {AssignmentRecord, QualificationCaption}
    of_items = [
        model
        for model in apps.get_app_config("annotation").get_models()
        if any(field.name == "item" for field in model._meta.fields) and model not in others
    ]
    assert {Annotation, Assignment, Gold, PastGold} < set(of_items)
    every: list[Any] = [*of_items, Item]
    for model in every:
        assert not model._default_manager.exists(), model
    assert not item.annotations.exists()
    assert not crew.project.items.exists()
    # Django itself, which deletes by it, leaves nothing out.
    assert Annotation._base_manager.count() == 5


def test_it_is_out_of_everything_and_comes_back_whole(crew: Crew) -> None:
    labelled(crew)
    before, rows = figures(crew), stored()
    stamp = agreement_stamp(crew.project)
    remove(crew, *crew.items[:2])
    now = figures(crew)
    assert now["progress"].items == 2
    assert now["progress"].assignments_done == 1
    assert [row.answered for row in now["own"]] == [1, 0]
    assert now["agreement"][0] == 0
    assert now["board"] == [0, 0, 0]
    assert now["export"] == [(crew.items[2].text, crew.ann.username)]
    assert now["gold"] == now["tests"] == []
    assert agreement_stamp(crew.project) != stamp
    # What the project would lose with its deletion is all of it.
    contents = project_contents(crew.project)
    assert [contents[name] for name in ("captions", "answers", "settled")] == [4, 5, 1]
    assert bring_back(crew, *crew.items[:2]) == 2
    assert figures(crew) == before
    assert stored() == rows
    assert agreement_stamp(crew.project) == stamp


def test_a_page_says_first_what_goes_in_numbers(crew: Crew) -> None:
    labelled(crew)
    tasks_take(project=crew.project, user=crew.bob, count=2, now=NOW, lease=LEASE)
    said = words(send(crew, "remove", *crew.items, code=200))
    for told_first in ("Answers 5 by 2 people", "Gold 1 caption ", "Held 2 captions of 1 person"):
        assert told_first in said
    seen = caption_removal([item.pk for item in crew.items])["stamp"]
    label(crew.items[2], crew.bob)
    again = send(crew, "remove", *crew.items, seen=seen, code=409)
    assert "The numbers changed while you had the page open" in words(again)
    assert Item.objects.count() == 4
    remove(crew, *crew.items)
    html = show_list(crew)
    assert "All captions are removed." in html
    assert "?state=removed" in html
    assert events_of(crew.project)[0]["text"] == "removed 4 captions from the project"


def test_the_list_has_removed_ones_apart_and_brings_them_back(crew: Crew) -> None:
    item = labelled(crew)
    remove(crew, item)
    assert numbers(show_list(crew)) == [2, 3, 4]
    assert numbers(show_list(crew, state="removed")) == [1]
    assert numbers(show_list(crew, state="removed", text="rain")) == []
    # Who decides without names finds none of it, and cannot ask for it.
    assert "removed" not in show_list(crew, crew.judge)
    show_list(crew, crew.judge, state="removed", code=422)
    assert "Answers 2 by 2 people" in words(send(crew, "bring-back", item, code=200))
    send(crew, "bring-back", item, seen="x")
    assert numbers(show_list(crew)) == [1, 2, 3, 4]
    # What is not removed is not brought back, and what is is not removed again.
    assert "Nothing was done" in send_and_follow(crew, "bring-back", item)
    remove(crew, item)
    assert "Nothing was done" in send_and_follow(crew, "remove", item)


def send_and_follow(crew: Crew, name: str, item: Item) -> str:
    address = f"/annotate/{crew.project.slug}/captions/selection/"
    sent = {"act": name, "item": item.pk}
    return crew.client(crew.manager).post(address, sent, follow=True).content.decode()


def test_a_late_answer_is_kept_told_of_and_counts_once_it_is_brought_back(crew: Crew) -> None:
    item = crew.items[0]
    assert took(crew, crew.ann) == [1]
    remove(crew, item)
    own = crew.client(crew.ann).get(f"/api/v1/labelling/{crew.project.slug}/own").json()
    assert [(row["item"], row["by"]) for row in own["removed"]] == [
        (item.pk, crew.manager.username)
    ]
    # It does not come again, and others come in its place.
    assert took(crew, crew.ann) == [2]
    answer = put(crew, crew.ann, item).json()
    assert answer["counts"] is False
    assert answer["removed"]["by"] == crew.manager.username
    assert own_progress(crew.project, crew.ann, NOW).answered == 0
    own = crew.client(crew.ann).get(f"/api/v1/labelling/{crew.project.slug}/own").json()
    assert own["removed"] == []
    assert caption_removal([item.pk])["late"] == 1
    said = words(send(crew, "bring-back", item, code=200))
    assert "Arrived after the removal 1 of the answers" in said
    address = reverse("annotation:captions-item", args=[crew.project.slug, item.pk])
    page = crew.client(crew.manager).get(address).content.decode()
    assert "It came after the caption was removed." in page
    bring_back(crew, item)
    assert own_progress(crew.project, crew.ann, NOW).answered == 1
    assert Annotation.objects.get(item=item).counts


def test_a_file_does_not_bring_it_in_again_and_says_so(crew: Crew) -> None:
    item = crew.items[0]
    remove(crew, item)
    rows = [{"text": item.text}, {"text": item.text, "spans": [], "answer": "accept"}]
    file = BytesIO("\n".join(map(json.dumps, [*rows, {"text": "wind"}])).encode())
    report = records_import(project=crew.project, records=file_read(file, "x.jsonl"), now=NOW)
    assert (report.captions, report.annotations, report.left_out) == (1, 0, 2)
    assert "This caption was removed from the project" in str(report.skipped[0])
    assert "Bring it back first" in str(report.skipped[0])
    # What is added stands behind it, whose place nobody takes.
    assert items_add(project=crew.project, tasks=[Task(item.text), Task("hail")])[0].position == 5


def test_who_leaves_holds_nothing_of_it_and_their_answers_stay_with_it(crew: Crew) -> None:
    item = labelled(crew)
    took(crew, crew.bob, 2)
    remove(crew, item, crew.items[2], crew.items[3])
    member_remove(member=crew.project.members.get(user=crew.bob))
    assert not Assignment.with_removed.filter(user=crew.bob, done=False).exists()
    person_leaves(crew.ann, now=NOW)
    crew.ann.delete()
    bring_back(crew, *crew.items)
    assert item.annotations.count() == 2


def test_it_waits_for_no_decision_and_whoever_had_it_open_does_not_find_it(crew: Crew) -> None:
    label(crew.items[1], crew.ann, answer=Answer.REJECT, comment="x")
    item = disputed_first(crew)
    remove(crew, item, crew.items[1])
    html = crew.client(crew.manager).get(f"/annotate/{crew.project.slug}/manage/").content.decode()
    assert "?mark=" not in html
    with pytest.raises(Http404, match="no longer in the project"):
        gold_decide(item=item, decision=Decision({}, "seen"), by=crew.manager, now=NOW)
    with pytest.raises(Http404, match="no longer in the project"):
        gold_reopen(item=item, by=crew.manager, now=NOW, seen="seen")
