"""Taking submissions in: whole or not at all, within quota, in time."""

import pytest

from leaderboard.models import EvaluationState, Phase, Submission
from leaderboard.selectors.submissions.quotas import quota_of
from leaderboard.services.organising.references import phase_set_references
from leaderboard.services.submissions.accepting import PhaseClosed, QuotaSpent
from leaderboard.services.submissions.packages import FileRejected, SubmissionRefused
from scoring.captions import References
from tests.factories import CANDIDATES, NOW, REFERENCES, reference_set, submit
from tests.leaderboard.conftest import Cast


def test_what_could_not_be_scored_does_not_count_against_the_quota(cast: Cast) -> None:
    cast.rules(quota_total=1)
    submission, left = submit(cast.phase, cast.team), []
    # Another metric's failure leaves the ranking whole, so it does count; the ranking metric's not.
    for family in ("sbert", "cider_d"):
        submission.evaluations.filter(family=family).update(state=EvaluationState.FAILED)
        left.append(quota_of(phase=cast.phase, team=cast.team, now=NOW).left)
    assert left == [0, 1]


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
