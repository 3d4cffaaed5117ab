"""What happens to a dry run at the same time, with real threads, processes and transactions."""

from pathlib import Path

import pytest
from django.db.models import Count
from django.utils import timezone

from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, Phase, RankSnapshot, Rescoring
from leaderboard.selectors.organising.rescoring import targets_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.organising.rescoring import rescoring_publish, rescoring_waiting
from leaderboard.web.refusals import Refused
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.at_once import at_once
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


def expect_one_of_each() -> None:
    """Every family of every submission is published exactly once."""
    rows = Evaluation.objects.order_by().values("submission", "family")
    found = rows.annotate(all=Count("pk")).values_list("submission", "family")
    published = rows.filter(published=True).annotate(all=Count("pk"))
    assert {row["all"] for row in published} == {1}
    assert len(published) == len(found)


def publish(rescoring: Rescoring) -> None:
    rescoring_publish(rescoring=rescoring, accept_failures=False, actor=None, now=timezone.now())


def test_of_many_who_publish_at_once_one_does(phase: Phase) -> None:
    rescoring = dry_run(phase)
    compute(rescoring)
    said = [str(one) for one in at_once(*[lambda: publish(rescoring)] * 6)]
    over = "This dry run was published in the meantime. Nothing was changed."
    assert sorted(said) == ["None", *[over] * 5]
    assert RankSnapshot.objects.count() == 1
    assert names(phase) == ["Short", "Long"]
    expect_one_of_each()


def test_a_system_that_comes_in_meanwhile_is_scored_like_all_others(phase: Phase) -> None:
    rescoring = dry_run(phase)
    compute(rescoring)
    team = TeamFactory.create()
    refused, late = at_once(
        lambda: publish(rescoring), lambda: submit(phase, team, name="Late", data=HEAD + SHORT)
    )
    mine = late.evaluations.get(family="cider_d", published=True)
    published = Phase.objects.get(pk=phase.pk).parameters == NARROW
    # Either it came first, and must be looked at first, or it has the new parameters.
    assert published == (refused is None) == ("sigma:1|" in mine.signature)
    assert published or "cannot be published yet" in str(refused)
    expect_one_of_each()


def test_publishing_while_a_worker_finishes_waits_or_has_all_of_it(phase: Phase) -> None:
    rescoring = dry_run(phase)
    *first, last = rescoring_waiting(rescoring)
    for pk in first:
        evaluation_attempt(evaluation_id=pk)
    _, *said = at_once(
        lambda: evaluation_attempt(evaluation_id=last), *[lambda: publish(rescoring)] * 3
    )
    if None not in said:
        assert all("cannot be published yet" in str(one) for one in said)
        assert names(phase) == ["Long", "Short"]
        publish(rescoring)
    assert names(phase) == ["Short", "Long"]
    rows = targets_of(rescoring).evaluations
    assert set(rows.values_list("published", "state")) == {(True, EvaluationState.DONE)}
    expect_one_of_each()


def test_a_worker_killed_in_a_dry_run_loses_nothing(phase: Phase, tmp_path: Path) -> None:
    """At first on a machine where no evaluation ends, so that the kill comes in the middle."""
    rescoring = dry_run(phase)
    rows = targets_of(rescoring).evaluations
    tasks.evaluations_enqueue(rescoring_waiting(rescoring))
    with running_worker(tmp_path, app="tests.leaderboard.evaluations.stuck_worker") as worker:
        running = rows.filter(state=EvaluationState.RUNNING)
        worker.wait_until(running.exists, what="the dry run begins")
        worker.kill()
    with pytest.raises(Refused, match="cannot be published yet"):
        publish(rescoring)
    with running_worker(tmp_path) as worker:
        done = rows.filter(state=EvaluationState.DONE)
        worker.wait_until(lambda: done.count() == 2, what="the second attempt ends")
    publish(rescoring)
    assert rows.filter(published=True, attempts=2).exists()
    expect_one_of_each()
