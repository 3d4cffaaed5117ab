"""Checking a data set: what is stored, again and again, and where workers are lost."""

from typing import Any

import pytest

from annotation.models import CaptionFinding, CheckState, DataSetCheck, Verdict
from annotation.selectors.data_sets import checking
from annotation.services.data_sets import checks
from annotation.services.data_sets.checks import check_start
from annotation.services.data_sets.decisions import finding_dismiss
from annotation.tasks import captions_check
from leaderboard.services.jobs.attempts import JobProgress
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.data_sets.findings import checked, finding, found, stamp

SPELLING = ("spelling", "Continous")


def test_a_check_stores_what_is_found(desk: Desk) -> None:
    check = checked(desk)
    assert (check.state, check.total, check.attempts) == (CheckState.DONE, 4, 1)
    assert check.finished_at is not None
    one = finding(desk, "Continous")
    assert (one.start, one.end, one.suggestions[0]) == (0, 9, "Continuous")
    assert one.before == desk.caption("rain.wav").text
    assert SPELLING in found(desk.data_set)


def test_checking_again_changes_nothing_and_what_was_dismissed_stays_so(desk: Desk) -> None:
    checked(desk)
    one = finding(desk, "Continous")
    finding_dismiss(finding=one, seen=stamp(one.caption), act=desk.act)
    before = list(CaptionFinding.objects.order_by("pk").values())
    checked(desk)
    assert list(CaptionFinding.objects.order_by("pk").values()) == before
    assert SPELLING not in found(desk.data_set)
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


def test_captions_that_change_during_the_check_are_left_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever changed them has had them checked."""
    looked = checking.findings_of_set

    def slow(*args: Any) -> Any:
        yield from list(looked(*args))
        caption = desk.caption("rain.wav")
        caption.text = "Rain falls on a roof while somebody walks by"
        caption.save()

    monkeypatch.setattr(checks, "findings_of_set", slow)
    checked(desk)
    assert not CaptionFinding.objects.filter(caption=desk.caption("rain.wav")).exists()
    assert CaptionFinding.objects.exists()


def test_one_check_goes_on_at_a_time_whatever_messages_come(desk: Desk) -> None:
    check = check_start(data_set=desk.data_set, act=desk.act)
    assert check_start(data_set=desk.data_set, act=desk.act) == check
    captions_check(check.pk, 0)
    captions_check(check.pk, 0)
    captions_check(check.pk + 1, 0)
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

    monkeypatch.setattr(checks, "findings_of_set", broken)
    assert checked(desk).state == state


def test_who_lost_the_right_to_work_stores_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = checking.findings_of_set

    def slow(*args: Any) -> Any:
        DataSetCheck.objects.update(token=7)
        yield from looked(*args)

    monkeypatch.setattr(checks, "findings_of_set", slow)
    check = checked(desk)
    assert check.state == CheckState.RUNNING
    assert not CaptionFinding.objects.exists()


def test_progress_is_stored_while_captions_are_parsed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    note = JobProgress.note

    def noted(self: JobProgress, **columns: Any) -> None:
        seen.append(columns.get("done"))
        note(self, **columns)

    monkeypatch.setattr(JobProgress, "note", noted)
    checked(desk)
    assert 4 in seen
