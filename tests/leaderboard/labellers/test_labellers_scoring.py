"""Two labellers on one phase: other scores, other signatures, and the way back for nothing.

ACES is really computed; everything else is made up.
"""

from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from earmark.errors import ScoringError
from earmark.registry import metric
from leaderboard import tasks
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Labeller,
    LabellerUse,
    MetricResult,
    Phase,
    Rescoring,
)
from leaderboard.selectors.labellers.files import folder_of, shipped_identity
from leaderboard.selectors.labellers.use import identity_in_use, labeller_of, phase_labellers
from leaderboard.selectors.organising.rescoring import targets_of
from leaderboard.selectors.organising.rescoring_diff import diff_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.labellers.registry import labeller_delete
from leaderboard.services.labellers.using import labeller_put_to_use, labeller_roll_back
from leaderboard.services.organising.rescoring import (
    rescoring_open_with,
    rescoring_publish,
    rescoring_waiting,
)
from leaderboard.web.refusals import Refused
from tests.factories import NOW, PhaseFactory, TeamFactory, submit
from tests.labellers import registered, submitted
from tests.leaderboard.at_once import at_once
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.leaderboard.organising.rescoring_cases import HEAD, LONG, SHORT, board, compute

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_labellers")]


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    """A phase ranked by ACES, with two systems scored by the labeller that is shipped."""
    made = PhaseFactory.create(ranking_metric="aces", precision=6)
    for name, rows in (("Long", LONG), ("Short", SHORT)):
        submitted(made, name, rows)
    return made


def dry_run(phase: Phase, identity: str) -> Rescoring:
    """Begin to score ACES anew with another labeller."""
    return rescoring_open_with(
        phase=Phase.objects.get(pk=phase.pk),
        family="aces",
        changes={"labeller": identity},
        reason="Another labeller",
        actor=None,
        now=timezone.now(),
    )


def publish(rescoring: Rescoring) -> None:
    rescoring_publish(rescoring=rescoring, accept_failures=False, actor=None, now=timezone.now())


def scores(phase: Phase) -> dict[str, tuple[float | None, str, bytes]]:
    """The scores of ACES that count: value, signature and those of the clips."""
    rows = MetricResult.objects.filter(
        metric="aces", evaluation__published=True, submission__phase=phase
    ).select_related("submission")
    return {
        row.submission.system_name: (row.value, row.signature, bytes(row.per_clip)) for row in rows
    }


def test_another_labeller_scores_otherwise_and_the_way_back_costs_nothing(phase: Phase) -> None:
    before, shipped = scores(phase), shipped_identity()
    assert all(f"|desc:{shipped}|" in signed for _, signed, _ in before.values())
    row = registered()
    labeller_put_to_use(labeller=row, reason="Knows rain", actor=None, now=NOW)
    assert scores(phase) == before, "putting to use changes no score"
    assert [one.differs_from(row.identity) for one in phase_labellers(Phase.objects.all())] == [
        True
    ]

    rescoring = dry_run(phase, row.identity)
    assert len(rescoring_waiting(rescoring)) == 2
    compute(rescoring)
    assert scores(phase) == before, "a dry run changes nothing for others"
    changes = diff_of(phase, phase, targets_of(rescoring), metric("aces")).rows
    assert {one.system for one in changes} == {"Long", "Short"}
    assert all(one.before.value != one.after.value for one in changes)
    assert all(f"|desc:{row.identity}|" in one.after.signature for one in changes)

    publish(rescoring)
    after = scores(phase)
    assert after.keys() == before.keys()
    assert all(after[name][0] != before[name][0] for name in before)
    assert all(f"|desc:{row.identity}|" in signed for _, signed, _ in after.values())
    phase.refresh_from_db()
    assert labeller_of(phase) == row.identity
    late = submitted(phase, "Late", SHORT)
    assert f"|desc:{row.identity}|" in late.evaluations.get(family="aces").signature

    labeller_roll_back(actor=None, now=NOW)
    assert identity_in_use() == shipped
    count = Evaluation.objects.filter(family="aces", attempts=1).count()
    back = dry_run(phase, shipped)
    waiting = rescoring_waiting(back)
    assert len(waiting) == 1, "only what came in since"
    compute(back)
    publish(back)
    phase.refresh_from_db()
    assert phase.parameters == {}
    assert {name: scores(phase)[name] for name in before} == before
    assert Evaluation.objects.filter(family="aces", attempts=1).count() == count + 1
    assert len(board(phase).rows) == 3


def test_a_new_system_of_a_tampered_labeller_fails_with_the_reason(phase: Phase) -> None:
    """And nothing else of it does; put right, a retry scores it."""
    row = registered()
    phase.parameters = {"aces": {"labeller": row.identity}}
    phase.save()
    waiting = submit(phase, TeamFactory.create(), name="Waits", data=HEAD + SHORT)
    mine = waiting.evaluations.get(family="aces")
    weights = folder_of(row.sha256) / "model.safetensors"
    whole = weights.read_bytes()
    weights.chmod(0o644)
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    evaluation_attempt(evaluation_id=mine.pk)
    mine.refresh_from_db()
    assert mine.state == EvaluationState.FAILED
    assert "not as they were stored" in mine.reason
    assert str(folder_of(row.sha256)) not in mine.reason, "no place of the server is told"
    late = submit(phase, TeamFactory.create(), name="Late", data=HEAD + SHORT)
    assert "not as they were stored" in late.evaluations.get(family="aces").reason
    assert late.evaluations.filter(state=EvaluationState.PENDING).count() > 5
    with pytest.raises(ScoringError, match="not as they were stored"):
        dry_run(PhaseFactory.create(), row.identity)


def test_a_dry_run_of_a_labeller_that_was_tampered_with_cannot_be_published(phase: Phase) -> None:
    row, before = registered(), scores(phase)
    rescoring = dry_run(phase, row.identity)
    compute(rescoring)
    (folder_of(row.sha256) / "config.json").unlink()
    with pytest.raises(ScoringError, match="missing"):
        publish(rescoring)
    assert scores(phase) == before
    registered()
    publish(rescoring)
    assert scores(phase) != before


def test_a_worker_in_a_process_of_its_own_scores_with_what_the_site_keeps(
    phase: Phase, settings: Settings, tmp_path: Path
) -> None:
    """It finds the files in the folder that both have by default."""
    settings.LABELLERS_DIR = settings.VAR_DIR / "labellers"
    row = registered()
    rescoring = dry_run(phase, row.identity)
    rows = targets_of(rescoring).evaluations
    tasks.evaluations_enqueue(rescoring_waiting(rescoring))
    with running_worker(tmp_path) as worker:
        worker.wait_until(
            lambda: rows.filter(state=EvaluationState.DONE).count() == 2,
            what="the dry run is computed",
        )
    publish(rescoring)
    assert all(f"|desc:{row.identity}|" in signed for _, signed, _ in scores(phase).values())


def test_of_many_who_put_one_to_use_at_once_one_does(transactional_db: None) -> None:
    rows = [registered(), registered("other", 2)]
    shipped = shipped_identity()

    def put(row: Labeller) -> LabellerUse:
        return labeller_put_to_use(
            labeller=row, reason="Mine", actor=None, now=timezone.now(), seen=shipped
        )

    said = at_once(*[lambda row=row: put(row) for row in rows * 3])
    done = [one for one in said if isinstance(one, LabellerUse)]
    assert len(done) == 1
    refused = [str(one) for one in said if isinstance(one, Refused)]
    assert len(refused) == 5
    assert all("in the meantime" in one for one in refused)
    assert LabellerUse.objects.count() == 1
    assert identity_in_use() == done[0].identity


def test_without_a_look_the_last_of_two_stands(transactional_db: None) -> None:
    """Clocks differ between servers: the latest row is the one written last all the same."""
    first, second = registered(), registered("other", 2)
    at_once(
        lambda: labeller_put_to_use(labeller=first, reason="", actor=None, now=timezone.now()),
        lambda: labeller_put_to_use(labeller=second, reason="", actor=None, now=NOW),
    )
    uses = list(LabellerUse.objects.order_by("pk"))
    assert len(uses) == 2
    assert identity_in_use() == uses[-1].identity
    assert uses[0].put_at <= uses[1].put_at


def test_a_labeller_is_not_deleted_while_a_dry_run_of_it_begins(phase: Phase) -> None:
    row = registered()
    begun, deleted = at_once(
        lambda: dry_run(phase, row.identity),
        lambda: labeller_delete(labeller=row, actor=None, now=timezone.now()),
    )
    if isinstance(begun, Rescoring):
        assert isinstance(deleted, Refused)
        assert folder_of(row.sha256).exists()
    else:
        assert isinstance(begun, ScoringError)
        assert "not kept" in str(begun)
        assert deleted is None
        assert not Rescoring.objects.exists()
        assert not folder_of(row.sha256).exists()
