"""Deciding findings and editing captions: what changes, what moves, what can be taken back."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import (
    CaptionAct,
    CaptionDecision,
    CaptionFinding,
    CheckState,
    DataSetCaption,
    Verdict,
)
from annotation.services.data_sets import findings
from annotation.services.data_sets.decisions import (
    caption_edit,
    decision_take_back,
    finding_accept,
    finding_dismiss,
    finding_edit,
)
from annotation.services.data_sets.findings import check_start
from annotation.tasks import CHECK_TASKS
from annotation.text_changes import Place, TextChange, merged
from leaderboard.web.refusals import Refused
from tests.annotation.data_sets.conftest import Desk, captions_put
from tests.annotation.data_sets.findings import checked, finding, found, stamp

TWO = "Continous rain falls on a roof while a zorkel hums"


@pytest.fixture
def two(desk: Desk) -> DataSetCaption:
    """A caption with two slips, checked."""
    captions_put(desk.data_set, {"two.wav": (TWO,)}, first=2)
    desk.data_set.kinds = ["spelling", "length", "rare_word", "duplicate"]
    desk.data_set.save()
    checked(desk)
    return desk.caption("two.wav")


def slip(caption: DataSetCaption, text: str) -> CaptionFinding:
    return CaptionFinding.objects.get(caption=caption, text=text, kind="spelling")


def test_a_suggestion_is_put_in_place_and_later_findings_move(
    desk: Desk, two: DataSetCaption
) -> None:
    one = slip(two, "Continous")
    finding_accept(finding=one, choice=0, seen=stamp(two), act=desk.act)
    two.refresh_from_db()
    assert two.text == "Continuous rain falls on a roof while a zorkel hums"
    assert two.original == TWO
    one.refresh_from_db()
    assert (one.verdict, one.before, one.after) == (Verdict.ACCEPTED, TWO, two.text)
    assert one.decided_by == desk.owner
    other = slip(two, "zorkel")
    assert (other.verdict, two.text[other.start : other.end]) == (Verdict.OPEN, "zorkel")
    # A word that is removed takes its blank along.
    CaptionFinding.objects.filter(pk=other.pk).update(suggestions=[""])
    finding_accept(finding=other, choice=0, seen=stamp(two), act=desk.act)
    two.refresh_from_db()
    assert two.text == "Continuous rain falls on a roof while a hums"


def test_an_edit_of_the_place_closes_the_finding_and_one_elsewhere_leaves_it_open(
    desk: Desk, two: DataSetCaption
) -> None:
    one, other = slip(two, "Continous"), slip(two, "zorkel")
    text = "Continuous rian falls on a roof while a zorkel hums"
    finding_edit(finding=one, text=text, seen=stamp(two), act=desk.act)
    one.refresh_from_db()
    assert one.verdict == Verdict.EDITED
    assert slip(two, "rian").start == 11, "what is found in the new text stands there at once"
    assert slip(two, "zorkel").start == 40
    later = text.replace("rian", "snow")
    finding_edit(finding=other, text=later, seen=stamp(two), act=desk.act)
    other.refresh_from_db()
    assert (other.verdict, other.text, other.before) == (Verdict.OPEN, "zorkel", later)
    assert slip(two, "rian").verdict == Verdict.GONE
    assert CaptionDecision.objects.latest("pk").finding == other


def test_what_was_dismissed_moves_with_the_caption_and_is_taken_back_where_it_is_now(
    desk: Desk, two: DataSetCaption
) -> None:
    one = slip(two, "zorkel")
    finding_dismiss(finding=one, seen=stamp(two), act=desk.act)
    dismissal = CaptionDecision.objects.get()
    text = TWO.replace("Continous", "Steady")
    caption_edit(caption=two, text=text, seen=stamp(two), act=desk.act)
    checked(desk)
    row = slip(two, "zorkel")
    assert (row.verdict, text[row.start : row.end]) == (Verdict.DISMISSED, "zorkel")
    decision_take_back(decision=dismissal, act=desk.act)
    one.refresh_from_db()
    two.refresh_from_db()
    assert (two.text, one.verdict, text[one.start : one.end]) == (text, Verdict.OPEN, "zorkel")


def test_captions_of_the_clip_are_compared_again_where_the_set_was_checked(desk: Desk) -> None:
    rain = desk.caption("rain.wav")
    caption_edit(caption=rain, text="Rian on a roof", seen=stamp(rain), act=desk.act)
    assert not CaptionFinding.objects.exists(), "it was not"
    checked(desk)
    first, second = desk.caption("dog.wav"), desk.caption("dog.wav", 2)
    caption_edit(caption=first, text=second.text, seen=stamp(first), act=desk.act)
    alike = CaptionFinding.objects.filter(kind="duplicate", verdict=Verdict.OPEN)
    assert alike.get().caption == second
    decision_take_back(decision=CaptionDecision.objects.latest("pk"), act=desk.act)
    assert not alike.exists()


def test_who_looked_at_another_caption_changes_nothing(desk: Desk, two: DataSetCaption) -> None:
    one, seen = slip(two, "zorkel"), stamp(two)
    text = TWO.replace("Continous", "Steady")
    caption_edit(caption=two, text=text, seen=seen, act=desk.act)
    refused: tuple[Callable[[], None], ...] = (
        lambda: finding_accept(finding=one, choice=0, seen=seen, act=desk.act),
        lambda: finding_edit(finding=one, text="Something else", seen=seen, act=desk.act),
        lambda: finding_dismiss(finding=one, seen=seen, act=desk.act),
        lambda: caption_edit(caption=two, text="Something else", seen=seen, act=desk.act),
    )
    for act in refused:
        with pytest.raises(Refused, match=r"is now .Steady rain"):
            act()
    two.refresh_from_db()
    assert two.text == text
    assert CaptionDecision.objects.count() == 1
    # Nor does who decides it again; a decision outlives who made it.
    one, seen = slip(two, "zorkel"), stamp(two)
    finding_dismiss(finding=one, seen=seen, act=desk.act)
    with pytest.raises(Refused, match=f"{desk.owner.username} dismissed it"):
        finding_dismiss(finding=one, seen=seen, act=desk.act)
    desk.owner.delete()
    decision = CaptionDecision.objects.latest("pk")
    assert (decision.by, decision.act) == (None, CaptionAct.DISMISSED)


def test_what_can_be_no_caption_is_refused(desk: Desk) -> None:
    caption = desk.caption("rain.wav")
    for text, says in (
        ("", "no words"),
        ("...", "no words"),
        ("a\x00b rain", "control character"),
        (f"{caption.text}  ", "the same as before"),
        ("rain " * 500, "limit is 2,000"),
    ):
        with pytest.raises(Refused, match=says):
            caption_edit(caption=caption, text=text, seen=stamp(caption), act=desk.act)
    assert not CaptionDecision.objects.exists()


@pytest.mark.parametrize("word", ["zorkel", "Continuous"])
def test_a_decision_is_taken_back_with_later_changes_of_other_words_kept(
    desk: Desk, two: DataSetCaption, word: str
) -> None:
    """Where the same words changed again it is not."""
    one = slip(two, "Continous")
    finding_accept(finding=one, choice=0, seen=stamp(two), act=desk.act)
    two.refresh_from_db()
    later = two.text.replace(word, "pump")
    caption_edit(caption=two, text=later, seen=stamp(two), act=desk.act)
    decision = CaptionDecision.objects.filter(finding=one).get()
    if word == "Continuous":
        with pytest.raises(Refused, match="have been changed again"):
            decision_take_back(decision=decision, act=desk.act)
        decision.refresh_from_db()
        two.refresh_from_db()
        assert (decision.taken_back, two.text) == (False, later)
        return
    decision_take_back(decision=decision, act=desk.act)
    two.refresh_from_db()
    one.refresh_from_db()
    assert two.text == TWO.replace("zorkel", "pump")
    assert (one.verdict, one.start, one.end) == (Verdict.OPEN, 0, 9)
    acts = list(CaptionDecision.objects.order_by("pk").values_list("act", flat=True))
    assert acts == [CaptionAct.ACCEPTED, CaptionAct.EDITED, CaptionAct.TAKEN_BACK]
    with pytest.raises(Refused, match="already been taken back"):
        decision_take_back(decision=decision, act=desk.act)


TEXTS = st.text("ab \U0001f327\u0301", max_size=12)


@given(TEXTS, TEXTS, st.data())
def test_the_change_between_two_texts_makes_one_of_the_other_and_moves_places(
    before: str, after: str, data: st.DataObject
) -> None:
    change = TextChange.between(before, after)
    assert change.applied(before) == after
    assert len(change.replacement) - (change.end - change.start) == len(after) - len(before)
    assert (change.end > change.start or change.replacement != "") == (before != after)
    # A place that moves holds the same text.
    start = data.draw(st.integers(0, len(before)))
    place = Place(start, data.draw(st.integers(start, len(before))))
    if moved := change.moved(place):
        assert after[moved.start : moved.end] == before[place.start : place.end]


@given(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS)
def test_changes_of_different_words_go_together(
    head: str, one: str, other: str, new: str, newer: str
) -> None:
    """Words of their own with marks between, so that changes cannot reach into each other."""
    base = f"{head}<{one}>==<{other}>"
    mine, theirs = f"{head}<{new}>==<{other}>", f"{head}<{one}>==<{newer}>"
    assert merged(base, mine, theirs) == f"{head}<{new}>==<{newer}>"
    assert merged(base, theirs, mine) == f"{head}<{new}>==<{newer}>"


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_goes_together_does_so_in_any_order(base: str, mine: str, theirs: str) -> None:
    assert merged(base, mine, base) == mine
    both, swapped = merged(base, mine, theirs), merged(base, theirs, mine)
    if base not in {theirs, mine}:
        assert both == swapped


def test_changes_of_the_same_words_do_not() -> None:
    for mine, theirs in (
        ("a cat barks", "a wolf barks"),
        ("a dog", "a dog barked"),
        ("an old dog barks", "an odd dog barks"),
    ):
        assert merged("a dog barks", mine, theirs) is None


SPELLING = ("spelling", "Continous")


def test_a_check_stores_what_is_found_and_what_was_dismissed_stays_so(desk: Desk) -> None:
    check = checked(desk)
    assert (check.state, check.total, check.attempts) == (CheckState.DONE, 4, 1)
    assert check.finished_at is not None
    one = finding(desk, "Continous")
    assert (one.start, one.end, one.suggestions[0]) == (0, 9, "Continuous")
    assert one.before == desk.caption("rain.wav").text
    assert SPELLING in found(desk.data_set)
    finding_dismiss(finding=one, seen=stamp(one.caption), act=desk.act)
    before = list(CaptionFinding.objects.order_by("pk").values())
    checked(desk)
    assert list(CaptionFinding.objects.order_by("pk").values()) == before
    assert found(desk.data_set, Verdict.DISMISSED) == [SPELLING]


def test_kinds_and_lengths_are_those_of_the_data_set_and_what_was_gone_comes_back(
    desk: Desk,
) -> None:
    def check(kinds: list[str], least: int) -> list[tuple[str, str]]:
        desk.data_set.kinds, desk.data_set.min_words = kinds, least
        desk.data_set.save()
        checked(desk)
        return found(desk.data_set)

    assert SPELLING in check([], 8)
    assert {kind for kind, _ in check(["length"], 8)} == {"length"}
    assert SPELLING in found(desk.data_set, Verdict.GONE)
    assert check(["length"], 2) == []
    assert SPELLING in check([], 8)
    assert SPELLING not in found(desk.data_set, Verdict.GONE)


def test_one_check_goes_on_at_a_time_whatever_messages_come(desk: Desk) -> None:
    check = check_start(data_set=desk.data_set, act=desk.act)
    assert check_start(data_set=desk.data_set, act=desk.act) == check
    CHECK_TASKS.task(check.pk, 0)
    CHECK_TASKS.task(check.pk, 0)
    CHECK_TASKS.task(check.pk + 1, 0)
    check.refresh_from_db()
    assert (check.state, check.attempts) == (CheckState.DONE, 1)
    assert check_start(data_set=desk.data_set, act=desk.act) != check


@pytest.mark.parametrize(("error", "state"), [(MemoryError, "failed"), (OSError, "waiting")])
def test_an_attempt_that_wants_for_memory_is_the_last(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: type[Exception], state: str
) -> None:
    """The next one would need as much; what else breaks may be over by then."""

    def broken(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(findings, "findings_of_set", broken)
    assert checked(desk).state == state
