"""What was decided and what was said first is never lost, and what came later says so."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.models import Annotation, Answer, Gold, GoldEnd, Item, Lateness, PastGold
from annotation.selectors.adjudication.cases import adjudication_board, cases_of
from annotation.selectors.agreement.answers import AnswerVersion, agreement_data
from annotation.services.adjudication import (
    Decision,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from annotation.services.answers import agreement_note_shown
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.leaderboard.api_client import ROOT
from tests.leaderboard.scored_pages import plain, text

CHOICES = {3: "WHEN", 4: "WHERE", 5: "WHERE", 6: "WHERE"}
LATER = NOW + timedelta(hours=1)
WHY = "Both labels fit <b>here</b>."


def settle(item: Item, by: User, choices: dict[int, str]) -> Gold:
    seen = cases_of(item.project, [item.pk])[0].stamp
    return gold_decide(item=item, decision=Decision(choices, seen), by=by, now=NOW)


def reopen(item: Item, by: User) -> None:
    gold_reopen(item=item, by=by, now=NOW, seen=cases_of(item.project, [item.pk])[0].stamp)


def page(crew: Crew, item: Item, user: User) -> str:
    address = reverse("annotation:adjudicate-item", args=[crew.project.slug, item.pk])
    return crew.client(user).get(address).content.decode()


def test_a_decision_that_is_taken_back_stays_with_who_when_what_and_why(crew: Crew) -> None:
    item = disputed_first(crew)
    gold = settle(item, crew.judge, CHOICES)
    address = reverse("annotation:adjudicate-reopen", args=[crew.project.slug, item.pk])
    seen = cases_of(crew.project, [item.pk])[0].stamp
    crew.client(crew.manager).post(address, {"reason": f"  {WHY} ", "seen": seen})
    past = PastGold.objects.get()
    assert not Gold.objects.exists()
    assert (past.labels, past.spans, past.provenance) == (gold.labels, gold.spans, gold.provenance)
    assert (past.settled_by, past.settled_at) == (crew.judge, NOW)
    assert (past.ended_by, past.end, past.reason) == (crew.manager, GoldEnd.TAKEN_BACK, WHY)
    html = page(crew, item, crew.judge)
    told = text(html.encode())
    assert "History" in told
    assert f"Settled by {crew.judge.username}" in told
    assert f"Taken back by {crew.manager.username}" in told
    assert f"Why: {WHY}" in plain(html)
    assert "<b>here</b>" not in html
    assert [row.item for row in adjudication_board(crew.project).open] == [item.pk]


def test_a_decision_that_replaces_another_keeps_it_and_so_does_what_settles_itself(
    crew: Crew,
) -> None:
    item, agreed = disputed_first(crew), agreed_second(crew)
    settle(item, crew.judge, CHOICES)
    settle(item, crew.manager, {**CHOICES, 3: "HOW"})
    assert Gold.objects.get().labels[3] == "HOW"
    past = PastGold.objects.get()
    assert (past.labels[3], past.end) == ("WHEN", GoldEnd.REPLACED)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    for user in (crew.ann, crew.bob):
        label(agreed, user, (1, 1, "SOUND_TYPE"))
    gold_accept_unanimous(project=crew.project, by=None, now=LATER)
    past = PastGold.objects.get(item=agreed)
    assert (past.labels[1], past.end, past.ended_at) == ("WHAT", GoldEnd.RENEWED, LATER)


@pytest.fixture
def own(crew: Crew) -> Item:
    """The first caption, in dispute between ann and the judge."""
    item = crew.items[0]
    label(item, crew.ann, (1, 1, "WHO"))
    label(item, crew.judge, (1, 1, "WHAT"))
    return item


def test_nobody_decides_a_caption_that_they_labelled(crew: Crew, own: Item) -> None:
    with pytest.raises(Refused, match="You labelled this caption yourself"):
        settle(own, crew.judge, {1: "WHAT"})
    html = page(crew, own, crew.judge)
    assert "You labelled this caption yourself" in html
    assert "data-decide-question" not in html
    listed = reverse("annotation:adjudicate", args=[crew.project.slug])
    main = text(crew.client(crew.judge).get(listed).content)
    assert "1 caption that you labelled yourself waits for someone else to decide." in main
    assert "To decide 0" in main
    # Someone else does, and what they decided is not taken back by who labelled it.
    settle(own, crew.manager, {1: "WHO"})
    with pytest.raises(Refused, match="You labelled this caption yourself"):
        reopen(own, crew.judge)
    assert Gold.objects.get().labels[1] == "WHO"


def test_a_manager_may_allow_it(crew: Crew, own: Item) -> None:
    settings = reverse("annotation:manage-settings", args=[crew.project.slug])
    rules = {"copies": 2, "share": 100, "order": "given", "suggestion_threshold": 70}
    form = {"name": "New", **rules, "settle_own": "on"}
    crew.client(crew.manager).post(settings, form)
    own.project.refresh_from_db()
    assert own.project.settle_own
    assert "data-decide-question" in page(crew, own, crew.judge)
    settle(own, crew.judge, {1: "WHAT"})


def late_of(item: Item, user: User) -> str:
    return Annotation.objects.get(item=item, user=user).late


def test_agreement_takes_answers_as_they_were_first_accepted_unless_asked_otherwise(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    first = agreement_data(crew.project)
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "HOW"), (4, 6, "WHERE"))
    again = agreement_data(crew.project)
    assert again.captions == first.captions
    assert (again.changed, again.late) == (1, 0)
    now = agreement_data(crew.project, AnswerVersion.NOW)
    assert now.captions[0].disputed() == ()
    shown = reverse("annotation:agreement", args=[crew.project.slug])
    client = crew.client(crew.manager)
    assert "1 of 1 captions have words in dispute" in text(client.get(shown).content)
    told = text(client.get(f"{shown}?answers=now").content)
    assert "All annotators agree on every word of every caption." in told
    assert client.get(f"{shown}?answers=best").status_code == 404
    api = f"{ROOT}/labelling/{crew.project.slug}/agreement"
    assert client.get(api).json()["answers"] == "first"
    assert client.get(f"{api}?answers=now").json()["disputes"] == []
    # What is withdrawn later still was said first.
    label(item, crew.bob, answer=Answer.REJECT)
    assert agreement_data(crew.project).captions == first.captions
    assert agreement_data(crew.project, AnswerVersion.NOW).captions == ()


def test_neither_a_change_before_anything_was_shown_nor_a_comment_after_it_is_late(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    label(item, crew.ann, (1, 1, "WHAT"))
    settle(item, crew.judge, CHOICES | {1: "WHO", 2: "HOW"})
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "WHEN"), comment="sure")
    assert {late_of(item, user) for user in (crew.ann, crew.bob)} == {Lateness.NO}


def test_a_change_after_the_caption_was_settled_is_late_even_when_that_was_taken_back(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    settle(item, crew.judge, CHOICES)
    reopen(item, crew.judge)
    label(item, crew.ann, (1, 1, "WHAT"))
    assert late_of(item, crew.ann) == Lateness.SETTLED
    assert late_of(item, crew.bob) == Lateness.NO
    assert agreement_data(crew.project).late == 1
    assert "answered late" in page(crew, item, crew.judge)
    answers = reverse("annotation:history", args=[crew.project.slug])
    assert ">Late</span>" in crew.client(crew.ann).get(answers).content.decode()
    assert ">Late</span>" not in crew.client(crew.bob).get(answers).content.decode()


def test_a_first_answer_counts_where_nobody_had_answered_before_it_was_opened_again(
    crew: Crew,
) -> None:
    """Of the second caption bob's answer could be seen; of the third there was nothing to see."""
    seen, fresh = crew.items[1], crew.items[2]
    label(seen, crew.bob, (1, 1, "WHAT"))
    act = ProjectAct(crew.manager, LATER)
    crew.project.refresh_from_db()
    project_set_closed(project=crew.project, closed=True, act=act)
    # One has looked, and may have told the others.
    agreement_note_shown(project=crew.project, user=crew.judge, now=LATER)
    project_set_closed(project=crew.project, closed=False, act=act)
    label(seen, crew.ann, (1, 1, "WHAT"), now=LATER + timedelta(minutes=1))
    for user in (crew.ann, crew.bob):
        label(fresh, user, (1, 1, "WHO"), now=LATER + timedelta(minutes=2))
    assert late_of(seen, crew.ann) == Lateness.SHOWN
    assert late_of(fresh, crew.ann) == late_of(fresh, crew.bob) == Lateness.NO
    reading = agreement_data(crew.project)
    assert [caption.key for caption in reading.captions] == [fresh.pk]
    assert reading.left_out["late"] == 1
    assert len(agreement_data(crew.project, AnswerVersion.NOW).captions) == 2


@pytest.mark.parametrize("name", ["agreement", "agreement-captions", "api"])
def test_who_looks_at_agreement_and_then_changes_an_own_answer_is_late(
    crew: Crew, name: str
) -> None:
    item = crew.items[0]
    label(item, crew.ann, (1, 1, "WHO"))
    label(item, crew.judge, (1, 1, "WHAT"))
    address = f"{ROOT}/labelling/{crew.project.slug}/agreement"
    if name != "api":
        address = reverse(f"annotation:{name}", args=[crew.project.slug]) + "?a=WHO&b=WHAT"
    assert crew.client(crew.judge).get(address).status_code == 200
    label(item, crew.judge, (1, 1, "WHO"))
    label(item, crew.ann, (1, 1, "WHAT"))
    assert late_of(item, crew.judge) == Lateness.SHOWN
    assert late_of(item, crew.ann) == Lateness.NO
