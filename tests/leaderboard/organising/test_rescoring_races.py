"""What happens to a dry run at the same time, with real threads, processes and transactions."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, Phase, RankSnapshot, Rescoring
from leaderboard.selectors.organising.rescoring import targets_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.organising.rescoring import (
    NoLongerOpen,
    NotFinished,
    RescoringRefused,
    rescoring_open,
    rescoring_publish,
    rescoring_waiting,
)
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.leaderboard.organising.rescoring_cases import (
    HEAD,
    LONG,
    NARROW,
    SHORT,
    compute,
    dry_run,
    names,
    scored_truly,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    made = PhaseFactory.create()
    scored_truly(made, TeamFactory.create(), "Long", LONG)
    scored_truly(made, TeamFactory.create(), "Short", SHORT)
    return made


def publish(rescoring: Rescoring) -> str:
    """Publish; give the name of what refused it, if anything did."""
    try:
        rescoring_publish(
            rescoring=rescoring, accept_failures=False, actor=None, now=timezone.now()
        )
    except RescoringRefused as error:
        return type(error).__name__
    return ""


def together(*works: Callable[[], Any]) -> list[Any]:
    """Do some works at once, each with its own connection."""
    barrier = threading.Barrier(len(works))

    def begin(work: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(begin, work) for work in works]]


def expect_one_of_each() -> None:
    """Every family of every submission is published exactly once."""
    rows = Evaluation.objects.order_by().values("submission", "family")
    found = rows.annotate(all=Count("pk")).values_list("submission", "family")
    published = rows.filter(published=True).annotate(all=Count("pk"))
    assert {row["all"] for row in published} == {1}
    assert len(published) == len(found)


def test_of_many_who_publish_at_once_one_does(phase: Phase) -> None:
    rescoring = dry_run(phase)
    compute(rescoring)
    said = together(*[lambda: publish(rescoring)] * 6)
    assert sorted(said) == ["", *[NoLongerOpen.__name__] * 5]
    assert RankSnapshot.objects.count() == 1
    assert names(phase) == ["Short", "Long"]
    expect_one_of_each()


def test_a_system_that_comes_in_while_it_is_published_is_scored_like_all_others(
    phase: Phase,
) -> None:
    rescoring = dry_run(phase)
    compute(rescoring)
    team = TeamFactory.create()
    said, late = together(
        lambda: publish(rescoring),
        lambda: submit(phase, team, name="Late", data=HEAD + SHORT),
    )
    mine = late.evaluations.get(family="cider_d", published=True)
    published = Phase.objects.get(pk=phase.pk).parameters == NARROW
    # Either it came first, and must be looked at first, or it has the new parameters.
    assert (said, published, "sigma:1|" in mine.signature) in [
        ("", True, True),
        (NotFinished.__name__, False, False),
    ]
    expect_one_of_each()


def test_publishing_while_a_worker_finishes_waits_or_has_all_of_it(phase: Phase) -> None:
    rescoring = dry_run(phase)
    *first, last = rescoring_waiting(rescoring)
    for pk in first:
        evaluation_attempt(evaluation_id=pk)
    said = together(
        lambda: evaluation_attempt(evaluation_id=last),
        *[lambda: publish(rescoring)] * 3,
    )[1:]
    if "" not in said:
        assert set(said) == {NotFinished.__name__}
        assert names(phase) == ["Long", "Short"]
        assert publish(rescoring) == ""
    assert names(phase) == ["Short", "Long"]
    rows = targets_of(rescoring).evaluations
    assert set(rows.values_list("published", "state")) == {(True, EvaluationState.DONE)}
    expect_one_of_each()


@pytest.mark.with_services
def test_a_worker_killed_in_a_dry_run_loses_nothing(phase: Phase, tmp_path: Path) -> None:
    rescoring = rescoring_open(
        phase=phase,
        # This family loads models first, so that the kill comes in the middle.
        parameters={"fense": {"penalty": 0.5}},
        reason="Milder",
        actor=None,
        now=timezone.now(),
    )
    rows = targets_of(rescoring).evaluations
    tasks.evaluations_enqueue(rescoring_waiting(rescoring))
    with running_worker(tmp_path) as worker:
        worker.wait_until(
            lambda: rows.filter(state=EvaluationState.RUNNING).exists(),
            what="the dry run begins",
        )
        worker.kill()
    assert publish(rescoring) == NotFinished.__name__
    with running_worker(tmp_path) as worker:
        worker.wait_until(
            lambda: rows.filter(state=EvaluationState.DONE).count() == 2,
            what="the second attempt ends",
        )
    assert publish(rescoring) == ""
    assert rows.filter(published=True, attempts=2).exists()
    expect_one_of_each()
