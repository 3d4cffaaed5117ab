"""The page of a caption: everything that happened to it, for managers alone."""

import json
import re
from datetime import datetime, timedelta
from io import BytesIO

from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Answer, Gold, Item
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.captions.history import caption_history
from annotation.selectors.projects import worker_names
from annotation.services.adjudication import Decision, gold_decide, gold_reopen
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import
from annotation.services.people import person_leaves
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import disputed_first, label

HOSTILE = "<b>x</b>"


def at(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


def said(item: Item) -> list[str]:
    """Every event from the first to the last, without the one of the item's adding."""
    events = caption_history(item, worker_names(item.project)).events[::-1]
    return [
        " ".join([event.who, event.what, *event.notes]).strip()
        for event in events
        if event.what != "Added to the project"
    ]


def page(crew: Crew, item: Item, user: User | None = None, code: int = 200) -> str:
    address = f"/annotate/{crew.project.slug}/captions/{item.pk}/"
    response = crew.client(user or crew.manager).get(address)
    assert response.status_code == code
    return response.content.decode()


def test_it_tells_who_had_it_answered_changed_settled_and_took_back(crew: Crew) -> None:
    item, project = crew.items[0], crew.project
    ann, bob, judge = crew.ann.username, crew.bob.username, crew.judge.username
    tasks_take(project=project, user=crew.ann, count=1, lease=LEASE, now=at(1))
    label(item, crew.ann, (1, 1, "WHO"), now=at(2))
    label(item, crew.bob, answer=Answer.IGNORE, now=at(3))
    label(item, crew.bob, (1, 1, "WHAT"), now=at(4))
    label(item, crew.ann, (1, 1, "WHO"), now=at(5))
    label(item, crew.ann, (1, 1, "HOW"), comment=HOSTILE, now=at(6))
    stamp = cases_of(project, [item.pk])[0].stamp
    gold_decide(
        item=item, decision=Decision({1: "WHO"}, stamp, note="heard it"), by=crew.judge,
        now=at(7),
    )  # fmt: skip
    stamp = cases_of(project, [item.pk])[0].stamp
    gold_reopen(item=item, by=crew.manager, seen=stamp, reason="no", now=at(8))
    assert said(item) == [
        f"{ann} was handed it for the first time",
        f"{ann} answered",
        f"{bob} skipped it",
        f"{bob} answered after all",
        f"{ann} saved the answer again",
        f"{ann} changed the answer Comment: {HOSTILE}",
        f"{judge} settled Why: heard it",
        f"{crew.manager.username} took the decision back Why: no",
    ]
    events = caption_history(item, worker_names(project)).events
    changed = next(event for event in events if event.what == "changed the answer")
    assert [(c.text, c.before, c.after) for c in changed.changes] == [("dog", "Who", "How")]
    html = page(crew, item)
    assert HOSTILE not in html
    assert "&lt;b&gt;x" in html
    assert html.index("took the decision back") < html.index("was handed it")


def test_what_a_file_brought_says_so(crew: Crew) -> None:
    record = {"text": "a whale sings", "spans": [], "_session_id": "Zoe"}
    file = LabelFile(BytesIO(json.dumps(record).encode()), "whales.jsonl")
    file_import(project=crew.project, file=file, choice=FileChoice(), actor=crew.manager, now=NOW)
    item = crew.project.items.get(text="a whale sings")
    assert set(said(item)) == {
        f"{crew.manager.username} brought it in with the file whales.jsonl",
        "Zoe answered, in the file whales.jsonl",
    }


def test_late_answers_tests_and_those_that_do_not_count_are_told(crew: Crew) -> None:
    item = disputed_first(crew)
    Gold.objects.create(item=item, labels=["O"] * len(item.tokens), provenance=[], settled_at=NOW)
    label(item, crew.judge, (1, 1, "WHO"))
    assert (
        f"{crew.judge.username} answered Late: the caption had been settled. Does not count."
        in (said(item))
    )
    assert "Not counted" in page(crew, item)
    Annotation.objects.exclude(user=crew.ann).update(test=True)
    assert f"{crew.bob.username} answered To a test caption, which counts nowhere." in said(item)
    shown = caption_history(item, worker_names(crew.project)).answers
    assert [answer.who for answer in shown] == [crew.ann.username]


def test_the_work_of_who_left_keeps_its_place_without_the_name(crew: Crew) -> None:
    item = disputed_first(crew)
    name = crew.ann.username
    person_leaves(crew.ann, now=NOW)
    html = page(crew, item)
    assert name not in html
    assert "a former annotator 1" in html


def test_more_answers_and_versions_cost_no_more_queries(crew: Crew) -> None:
    item = disputed_first(crew)
    client, address = (
        crew.client(crew.manager),
        f"/annotate/{crew.project.slug}/captions/{item.pk}/",
    )
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for labels in ("WHO", "HOW", "WHEN"):
        for user in (crew.ann, crew.bob, crew.judge):
            label(item, user, (1, 1, labels))
    client.get(address)
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(few)


def test_the_list_and_adjudication_lead_there_for_managers_alone(crew: Crew) -> None:
    item = disputed_first(crew)
    there = f"/annotate/{crew.project.slug}/captions/{item.pk}/"
    for address in ("captions/", f"adjudicate/{item.pk}/"):
        for user, leads in ((crew.manager, True), (crew.judge, False)):
            html = crew.client(user).get(f"/annotate/{crew.project.slug}/{address}").content
            assert (re.search(there, html.decode()) is not None) is leads


def test_looking_at_one_keeps_what_is_known_of_others(crew: Crew) -> None:
    """The cache of comparisons is shared by the list and the page of one caption."""
    disputed_first(crew)
    client = crew.client(crew.manager)
    client.get(f"/annotate/{crew.project.slug}/captions/")
    with CaptureQueriesContext(connection) as before:
        client.get(f"/annotate/{crew.project.slug}/captions/")
    label(crew.items[1], crew.ann, (1, 1, "WHO"))
    label(crew.items[1], crew.bob, (1, 1, "WHO"))
    client.get(f"/annotate/{crew.project.slug}/captions/{crew.items[1].pk}/")
    with CaptureQueriesContext(connection) as after:
        client.get(f"/annotate/{crew.project.slug}/captions/")
    assert len(after) == len(before)
