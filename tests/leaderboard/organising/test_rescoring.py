"""Rescoring: a dry run that nobody sees, published whole or not at all, and the way back."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earmark.registry import standard_families
from leaderboard.models import (
    AuditEvent,
    Evaluation,
    EvaluationState,
    MetricResult,
    Phase,
    RankSnapshot,
    Rescoring,
    SnapshotReason,
    Submission,
)
from leaderboard.selectors.analysis.stamps import phase_stamp, systems_stamp
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.organising.rescoring import former_parameters, targets_of
from leaderboard.services.evaluations.states import evaluations_sweep
from leaderboard.services.organising.judging import submission_disqualify, submission_restore
from leaderboard.services.organising.rescoring import (
    rescoring_discard,
    rescoring_open,
    rescoring_open_with,
    rescoring_publish,
    rescoring_waiting,
)
from leaderboard.web.refusals import Refused
from tests.factories import NOW, TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.organising.rescoring_cases import (
    HEAD,
    LONG,
    NARROW,
    SHORT,
    board,
    compute,
    dry_run,
    names,
    scored_truly,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def systems(cast: Cast) -> tuple[Submission, Submission]:
    """One system that is best with the usual length penalty, one that is with a narrow one."""
    long = scored_truly(cast.phase, cast.team, "Long", LONG)
    short = scored_truly(cast.phase, TeamFactory.create(), "Short", SHORT)
    return long, short


MINUTES = count()


def publish(rescoring: Rescoring, *, accept_failures: bool = False) -> None:
    rescoring_publish(
        rescoring=rescoring,
        accept_failures=accept_failures,
        actor=None,
        now=NOW + timedelta(minutes=next(MINUTES)),
    )


def discard(rescoring: Rescoring) -> None:
    rescoring_discard(rescoring=rescoring, actor=None, now=NOW)


def seen(phase: Phase) -> Any:
    """All that readers can see of a phase's numbers."""
    current = Phase.objects.get(pk=phase.pk)
    shown = board_of(current, every_system=True)
    return (
        [(row.key, row.rank, row.counts, row.values) for row in shown.rows],
        [(row.key, row.values) for row in shown.unranked],
        board(phase).stamp,
    )


def test_nothing_of_a_dry_run_is_seen(cast: Cast, systems: tuple[Submission, ...]) -> None:
    before = seen(cast.phase), phase_stamp(cast.phase)
    rescoring = dry_run(cast.phase)
    compute(rescoring)
    assert (seen(cast.phase), phase_stamp(cast.phase)) == before
    assert Phase.objects.get(pk=cast.phase.pk).parameters == {}
    done = targets_of(rescoring).evaluations
    assert done.filter(state=EvaluationState.DONE, published=False).count() == len(systems)
    with pytest.raises(Refused, match="already has a dry run"):
        rescoring_open(
            phase=cast.phase, parameters={"rouge_l": {"beta": 1.0}}, reason="x", actor=None, now=NOW
        )


def test_publishing_changes_ranks_parameters_and_signatures_at_once_and_keeps_the_ranking_of_before(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    assert names(cast.phase) == ["Long", "Short"]
    stamp = systems_stamp(systems)
    rescoring = dry_run(cast.phase)
    compute(rescoring)
    assert systems_stamp(systems) == stamp
    publish(rescoring)
    assert systems_stamp(systems) != stamp
    assert names(cast.phase) == ["Short", "Long"]
    assert Phase.objects.get(pk=cast.phase.pk).parameters == NARROW
    rows = MetricResult.objects.filter(metric="cider_d", evaluation__published=True)
    assert {"sigma:1|" in row.signature for row in rows} == {True}
    # What no metric of the rescoring computes is as it was.
    published = Evaluation.objects.filter(published=True)
    assert published.count() == len(systems) * len(standard_families())
    event = AuditEvent.objects.get(action="rescoring.publish")
    assert event.challenge_id == cast.phase.challenge_id
    assert (event.details["before"], event.details["after"]) == ({}, NARROW)
    snapshot = RankSnapshot.objects.get(phase=cast.phase)
    assert snapshot.reason == SnapshotReason.RESCORING
    kept = str(snapshot.content)
    assert kept.index("'Long'") < kept.index("'Short'")
    # What comes in afterwards has them, too, be it by an instance that was read before.
    late = submit(cast.phase, cast.team, name="Late", data=HEAD + SHORT).evaluations
    assert late.get(family="cider_d").parameters == NARROW["cider_d"]
    assert "sigma:1|" in late.get(family="cider_d").signature


SIGMAS = st.lists(
    st.dictionaries(
        st.sampled_from(["cider_d", "rouge_l"]), st.sampled_from([1.0, 2.0, 6.0]), min_size=1
    ),
    min_size=1,
    max_size=4,
)
PARAMETER = {"cider_d": "sigma", "rouge_l": "beta"}


@settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=SIGMAS)
def test_any_rescorings_taken_back_one_by_one_give_each_former_board(
    cast: Cast, systems: tuple[Submission, ...], steps: list[dict[str, float]]
) -> None:
    published: list[tuple[Rescoring, Any]] = []
    stamps = {phase_stamp(cast.phase)}
    for step in steps:
        parameters = {name: {PARAMETER[name]: value} for name, value in step.items()}
        before = seen(cast.phase), Phase.objects.get(pk=cast.phase.pk).parameters
        try:
            rescoring = rescoring_open(
                phase=cast.phase, parameters=parameters, reason="Step", actor=None, now=NOW
            )
        except Refused as refused:
            if "has already been scored with these parameters" not in str(refused):
                raise
            continue
        compute(rescoring)
        publish(rescoring)
        rescoring.refresh_from_db()
        published.append((rescoring, before))
        stamp = phase_stamp(cast.phase)
        assert stamp not in stamps, "what is kept of the analysis would be stale"
        stamps.add(stamp)
    for rescoring, before in reversed(published):
        back = rescoring_open(
            phase=cast.phase,
            parameters=former_parameters(rescoring),
            reason="Back",
            actor=None,
            now=NOW,
        )
        assert rescoring_waiting(back) == []
        publish(back)
        assert (seen(cast.phase), Phase.objects.get(pk=cast.phase.pk).parameters) == before


@pytest.mark.parametrize("end", [publish, discard])
def test_what_is_over_is_over(
    cast: Cast, systems: tuple[Submission, ...], end: Callable[[Rescoring], None]
) -> None:
    rescoring = dry_run(cast.phase)
    compute(rescoring)
    end(rescoring)
    for act in (publish, discard):
        with pytest.raises(Refused, match=r"This dry run was .* in the meantime"):
            act(rescoring)


def test_discarding_leaves_the_ranking_and_keeps_what_is_done(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    before = seen(cast.phase)
    rescoring = dry_run(cast.phase)
    first, *others = rescoring_waiting(rescoring)
    Evaluation.objects.filter(pk__in=others).update(state=EvaluationState.RUNNING)
    compute(rescoring)
    discard(rescoring)
    assert seen(cast.phase) == before
    assert targets_of(rescoring).evaluations.get().pk == first
    assert len(rescoring_waiting(dry_run(cast.phase))) == len(systems) - 1


def test_one_family_with_one_change_keeps_its_other_parameters_and_may_change_none(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    """Scores of an older scorer are a reason to rescore with the same parameters."""
    cast.rules(parameters={"fense": {"penalty": 0.5}})
    about: dict[str, Any] = {"phase": cast.phase, "actor": cast.organiser, "now": NOW}
    rescoring = rescoring_open_with(
        family="fense", changes={"threshold": 0.7}, reason="A new detector", **about
    )
    assert rescoring.parameters == {"fense": {"penalty": 0.5, "threshold": 0.7}}
    assert AuditEvent.objects.get(action="rescoring.open").actor == cast.organiser
    discard(rescoring)
    Evaluation.objects.filter(family="cider_d").update(signature="cider_d|v:old")
    rescoring = rescoring_open(parameters={"cider_d": {}}, reason="New version", **about)
    assert len(rescoring_waiting(rescoring)) == len(systems)


def test_what_was_disqualified_meanwhile_comes_back_under_the_new_parameters(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    long, _ = systems
    submission_disqualify(submission=long, reason="Late", actor=None, now=NOW)
    rescoring = dry_run(cast.phase)
    assert len(rescoring_waiting(rescoring)) == 1, "what does not stand need not be waited for"
    compute(rescoring)
    publish(rescoring)
    submission_restore(submission=long, actor=None, now=NOW)
    mine = long.evaluations.get(family="cider_d", published=True)
    assert ("sigma:1|" in mine.signature, mine.state) == (True, EvaluationState.PENDING)
    assert mine.pk in evaluations_sweep(now=NOW, requeue_after=lambda _: timedelta(minutes=5))
