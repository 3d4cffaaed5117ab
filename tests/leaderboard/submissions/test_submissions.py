"""Taking submissions in: whole or not at all, within quota, in time."""

from datetime import timedelta

import pytest

from leaderboard.models import AuditEvent, EvaluationState, Phase, StoredFile, Submission
from leaderboard.selectors.submissions.quotas import quota_of
from leaderboard.services.organising.references import phase_set_references
from leaderboard.services.submissions.accepting import PhaseClosed, QuotaSpent
from leaderboard.services.submissions.packages import FileRejected, SubmissionRefused
from scoring.captions import References
from tests.factories import CANDIDATES, NOW, REFERENCES, reference_set, submit
from tests.leaderboard.conftest import Cast


def test_a_file_is_kept_byte_for_byte(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, user=cast.member)
    assert bytes(submission.file.content) == CANDIDATES
    assert AuditEvent.objects.get(action="submission.accept").actor == cast.member


def test_the_same_file_is_stored_once(cast: Cast) -> None:
    first, second = submit(cast.phase, cast.team), submit(cast.phase, cast.team)
    assert first.file_id == second.file_id
    assert StoredFile.objects.count() == 1


def test_a_faulty_file_leaves_nothing_behind_and_names_every_fault(cast: Cast) -> None:
    bad = CANDIDATES.replace(b"a dog is barking", b"").replace(b"train.wav", b"tram.wav")
    with pytest.raises(FileRejected) as caught:
        submit(cast.phase, cast.team, data=bad)
    lines = [fault.line for fault in caught.value.faults if fault.severity == "error"]
    assert {3, 4} <= set(lines)
    assert any("train.wav" in str(fault) for fault in caught.value.faults)
    assert Submission.objects.count() == StoredFile.objects.count() == 0


def test_a_phase_takes_nothing_before_it_opens_or_from_the_second_it_closes(cast: Cast) -> None:
    phase = cast.phase
    phase.opens_at, phase.closes_at = NOW, NOW + timedelta(hours=1)
    phase.save()
    submit(phase, cast.team, now=NOW)
    submit(phase, cast.team, now=phase.closes_at - timedelta(microseconds=1))
    for moment in (NOW - timedelta(seconds=1), phase.closes_at):
        with pytest.raises(PhaseClosed):
            submit(phase, cast.team, now=moment)


def test_the_day_quota_starts_anew_at_midnight_utc(cast: Cast) -> None:
    cast.rules(quota_per_day=1)
    late = NOW.replace(hour=23, minute=59)
    submit(cast.phase, cast.team, now=late)
    with pytest.raises(QuotaSpent) as caught:
        submit(cast.phase, cast.team, now=late)
    assert "2026-03-02 00:00 UTC" in str(caught.value)
    submit(cast.phase, cast.team, now=late + timedelta(minutes=1))


def test_what_could_not_be_scored_does_not_count_against_the_quota(cast: Cast) -> None:
    cast.rules(quota_total=1)
    submission = submit(cast.phase, cast.team)
    assert quota_of(phase=cast.phase, team=cast.team, now=NOW).left == 0
    # Another metric's failure leaves the ranking whole, so it does count ...
    submission.evaluations.filter(family="sbert").update(state=EvaluationState.FAILED)
    assert quota_of(phase=cast.phase, team=cast.team, now=NOW).left == 0
    # ... the ranking metric's does not.
    submission.evaluations.filter(family="cider_d").update(state=EvaluationState.FAILED)
    assert quota_of(phase=cast.phase, team=cast.team, now=NOW).left == 1


def test_a_limit_lowered_below_what_is_used_leaves_none_and_not_less(cast: Cast) -> None:
    cast.phase.quota_total = 3
    submit(cast.phase, cast.team)
    submit(cast.phase, cast.team)
    cast.phase.quota_total = 1
    assert quota_of(phase=cast.phase, team=cast.team, now=NOW).left == 0


def test_a_file_far_longer_than_the_list_of_clips_is_not_read_to_its_end(cast: Cast) -> None:
    # 10 rows for each of the 5 clips and 1,000 more.
    with pytest.raises(FileRejected) as refused:
        submit(cast.phase, cast.team, data=CANDIDATES + b"x.wav,a sound\n" * 50_000)
    assert "more than 1,050 rows" in "".join(fault.message for fault in refused.value.faults)
    assert len(refused.value.faults) < 1_060


def test_a_file_checked_against_references_that_were_then_replaced_is_refused(cast: Cast) -> None:
    # What a request read when it began is ``cast.phase``; the organiser was quicker.
    other = References.build([(clip.file_name, ["Silence."]) for clip in REFERENCES.clips])
    current = Phase.objects.get(pk=cast.phase.pk)
    phase_set_references(
        phase=current, reference_set=reference_set(other), actor=cast.organiser, now=NOW
    )
    with pytest.raises(SubmissionRefused, match="were replaced while the file was checked"):
        submit(cast.phase, cast.team)
    assert Submission.objects.count() == 0


def test_a_phase_closed_and_a_limit_lowered_meanwhile_are_respected(cast: Cast) -> None:
    Phase.objects.filter(pk=cast.phase.pk).update(quota_total=0)
    with pytest.raises(QuotaSpent):
        submit(cast.phase, cast.team)
    Phase.objects.filter(pk=cast.phase.pk).update(closes_at=NOW)
    with pytest.raises(PhaseClosed):
        submit(cast.phase, cast.team, now=NOW)


def test_only_as_many_warnings_are_kept_as_anyone_reads(cast: Cast) -> None:
    caption = b"a dog <unk> null\xef\xbf\xbd barks"
    repeats = b"".join(b"rain.wav,rain falls on a roof\n" for _ in range(3))
    submission = submit(cast.phase, cast.team, data=CANDIDATES + repeats)
    assert len(submission.warnings) == 1
    header = b"file_name," + b",".join(b"caption_predicted_%d" % n for n in range(1, 21)) + b"\n"
    rows = b"".join(
        b'"%s",' % clip.file_name.encode() + b",".join([caption] * 20) + b"\n"
        for clip in REFERENCES.clips
    )
    # 5 clips, 20 candidates each, 2 warnings for each candidate, and 1 for the rows given twice.
    submission = submit(cast.phase, cast.team, data=header + rows + rows)
    assert len(submission.warnings) == 201
    assert submission.warnings[-1] == "whole file: 1 more warning not listed."
