"""The list of a project's captions and the page of one: what they show, and what not to whom."""

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from annotation.models import Annotation, Answer, Item, Project, Suggestion
from annotation.selectors.adjudication.cases import adjudication_board, cases_of
from annotation.selectors.captions.facts import CaptionState, caption_facts
from annotation.selectors.captions.matches import CaptionQuery, CaptionViewer, caption_matches
from annotation.selectors.captions.rows import caption_history
from annotation.selectors.projects import worker_names
from annotation.services.adjudication import (
    Decision,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct, Task, items_add
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import agreed_second, disputed_first, label

HOSTILE = "<script>alert(1)</script>"


def show(crew: Crew, user: User | None = None, code: int = 200, **asked: object) -> str:
    address = f"/annotate/{crew.project.slug}/captions/?{urlencode(asked)}"
    response = crew.client(user or crew.manager).get(address)
    assert response.status_code == code
    return response.content.decode()


def numbers(html: str) -> list[int]:
    return [int(found) for found in re.findall(r">Caption </span>(\d+)</a>", html)]


def find(project: Project, **asked: Any) -> list[int]:
    found = caption_matches(project, CaptionViewer(named=True), CaptionQuery(**asked))
    return [row.number for row in found.rows]


def states(project: Project) -> list[str]:
    return [row.state.value for row in caption_facts(project)]


def test_each_caption_is_in_one_state_and_those_to_decide_are_adjudications(crew: Crew) -> None:
    assert states(crew.project) == ["free"] * 4
    items_add(project=crew.project, tasks=[Task(text) for text in ("rain", "wind", "hail")])
    extra = list(crew.project.items.all())[4:]
    extra[0].assignments.filter(number=2).delete()
    disputed_first(crew)
    agreed_second(crew)
    label(crew.items[2], crew.ann)
    tasks_take(project=crew.project, user=crew.bob, count=1, now=NOW, lease=LEASE)
    label(extra[0], crew.ann)
    label(extra[1], crew.ann)
    # Bob holds the third, which ann has answered; the fourth nobody has met.
    assert states(crew.project) == [
        "to_decide", "done", "at_hand", "free", "once", "waiting", "free",
    ]  # fmt: skip
    gold_accept_unanimous(project=crew.project, by=crew.judge, now=NOW)
    assert states(crew.project)[1] == "settled"
    # Taken back it waits for a decision, although all agree.
    case = cases_of(crew.project, [crew.items[1].pk])[0]
    gold_reopen(item=crew.items[1], by=crew.judge, now=NOW, seen=case.stamp)
    board = adjudication_board(crew.project)
    found = caption_matches(crew.project, CaptionViewer(named=True), CaptionQuery())
    assert [case.position + 1 for case in board.to_decide] == [1, 2]
    assert [row.number for row in found.rows if row.state == CaptionState.TO_DECIDE] == [1, 2]
    project_set_closed(project=crew.project, closed=True, act=ProjectAct(crew.manager, NOW))
    assert states(crew.project) == [
        "to_decide", "to_decide", "once", "free", "once", "once", "free",
    ]  # fmt: skip


def test_it_finds_by_every_filter_and_by_several_at_once(crew: Crew) -> None:
    disputed_first(crew)
    agreed_second(crew)
    third = label(crew.items[2], crew.ann, answer=Answer.IGNORE, comment=HOSTILE)
    third.flagged = True
    third.save()
    tasks_take(project=crew.project, user=crew.judge, count=1, now=NOW, lease=LEASE)
    for item, confidence in zip(crew.items, (0.4, 0.79, 0.8, None), strict=True):
        spans = [{"label": "WHO", "confidence": 0.95}, {"label": "HOW", "confidence": confidence}]
        Suggestion.objects.create(
            item=item, identity="x", spans=spans if confidence else [], made_at=NOW
        )
    project, ann, bob = crew.project, crew.ann.pk, crew.bob.pk
    assert find(project) == [1, 2, 3, 4]
    assert find(project, text="RAIN") == [2, 3]
    assert find(project, text="3") == [3]
    assert find(project, text="#2") == [2]
    assert find(project, text="%") == []
    assert find(project, text="9" * 30) == []
    assert find(project, label="HOW") == [1, 2]
    assert find(project, label="WHEN") == [1]
    assert find(project, label="WHEN", person=ann) == []
    assert find(project, label="WHEN", person=bob) == [1]
    # What is part of another label's name is not it.
    assert find(project, label="WHAT/WHERE") == []
    assert find(project, person=ann) == [1, 2, 3]
    assert find(project, person=crew.judge.pk) == [3]
    assert find(project, mark="skipped") == [3]
    assert find(project, mark="flagged") == [3]
    assert find(project, mark="commented", person=bob) == []
    # Of hidden tests managers alone find what was noted, and see that it was on one.
    Annotation.objects.filter(pk=third.pk).update(test=True)
    assert find(project, mark="flagged") == [3]
    assert find(project, mark="skipped") == [], "a test is nothing to decide"
    blind = caption_matches(project, CaptionViewer(named=False), CaptionQuery(mark="flagged"))
    assert blind.rows == []
    html = show(crew, mark="flagged")
    assert "Flagged on a test" in html
    assert "(on a test)</span>: &lt;script&gt;" in html
    Annotation.every.filter(pk=third.pk).update(test=False)
    assert find(project, agreement="agree") == [2]
    assert find(project, agreement="differ") == [1]
    assert find(project, agreement="low") == [1]
    assert find(project, confidence="low") == [1]
    assert find(project, confidence="middle") == [2]
    assert find(project, confidence="high") == [3]
    assert find(project, order="unsure") == [1, 2, 3, 4]
    assert find(project, order="dispute") == [1, 2, 3, 4]
    assert find(project, state="to_decide", text="dog", label="WHO") == [1]
    label(crew.items[1], crew.ann, (1, 1, "WHAT"), now=NOW + LEASE * 1e5)
    assert find(project, order="changed")[0] == 2


def test_a_bad_address_is_told_and_shows_nothing(crew: Crew) -> None:
    for asked in ({"state": "x"}, {"person": "x"}, {"person": 0}, {"label": "x"}, {"text": "\0"}):
        html = show(crew, code=422, **asked)
        assert numbers(html) == []
        assert 'role="alert"' in html
    # The project has no suggestions.
    assert "cannot be searched by confidence" in show(crew, code=422, confidence="low")
    assert numbers(show(crew, page="x", other="y")) == [1, 2, 3, 4]


def test_adjudicators_see_what_they_may_decide_and_no_names(crew: Crew) -> None:
    disputed_first(crew)
    agreed_second(crew)
    label(crew.items[2], crew.ann, comment="who am I")
    html = show(crew, crew.judge)
    assert numbers(html) == [1, 2]
    assert "2 captions are not shown" in html
    for user in (crew.ann, crew.bob):
        assert user.username not in html
    assert "who am I" not in show(crew, crew.judge, mark="commented")
    # Neither who nor when can be asked for.
    assert numbers(show(crew, crew.judge, 422, person=crew.ann.pk)) == []
    assert numbers(show(crew, crew.judge, 422, order="changed")) == []
    assert "2026-03-01" not in html


def test_adjudicators_do_not_see_what_they_may_still_label(crew: Crew) -> None:
    item = agreed_second(crew)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    assert numbers(show(crew, crew.judge)) == [2]
    # One more answer is asked for, which may be theirs.
    item.assignments.create(project=crew.project, number=3, rank=item.rank)
    assert numbers(show(crew, crew.judge)) == []
    assert numbers(show(crew, crew.judge, label="WHAT")) == []


def test_who_looks_and_labels_later_answers_late(crew: Crew) -> None:
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    show(crew)
    assert label(crew.items[0], crew.manager, (1, 1, "WHO")).late == "shown"


BOLD = "<b>x</b>"


def at(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


def said(item: Item) -> list[str]:
    """Every event from the first to the last, without the one of the item's adding."""
    events = caption_history(item, worker_names(item.project))[1][::-1]
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
    label(item, crew.ann, (1, 1, "HOW"), comment=BOLD, now=at(6))
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
        f"{ann} changed the answer Comment: {BOLD}",
        f"{judge} settled Why: heard it",
        f"{crew.manager.username} took the decision back Why: no",
    ]
    events = caption_history(item, worker_names(project))[1]
    changed = next(event for event in events if event.what == "changed the answer")
    assert [(c.text, c.before, c.after) for c in changed.changes] == [("dog", "Who", "How")]
    html = page(crew, item)
    assert BOLD not in html
    assert "&lt;b&gt;x" in html
    assert html.index("took the decision back") < html.index("was handed it")
