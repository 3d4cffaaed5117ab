"""A small site that holds a row of everything, made by today's services."""

from datetime import timedelta

import numpy as np

from annotation.models import Role
from annotation.services.adjudication import gold_accept_unanimous
from annotation.services.projects import member_add
from annotation.services.tasks import tasks_take
from leaderboard.models import EvaluationState, Kind, Phase, Submission, Team, TeamRole
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.evaluations.states import evaluation_claim
from leaderboard.services.jobs.states import JobFailure, job_fail
from leaderboard.services.organising.judging import submission_disqualify, submission_mark
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from leaderboard.services.ranking.snapshots import phase_freeze
from leaderboard.services.submissions.changes import submission_withdraw
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.factories import (
    NOW,
    PhaseFactory,
    TeamFactory,
    UserFactory,
    finish,
    finish_all,
    join,
    submit,
)
from tests.leaderboard.access.one_of_everything import everything
from tests.leaderboard.conftest import Cast

LATER = NOW + timedelta(days=1)


def small_site_make() -> None:
    """Make it: two phases, one frozen; systems in every state; a project with labels."""
    phase = PhaseFactory.create(slug="open")
    team = TeamFactory.create()
    owner, member, outsider, organiser = UserFactory.create_batch(4)
    join(team, owner, TeamRole.OWNER)
    join(team, member)
    phase.challenge.organisers.add(organiser)
    cast = Cast(phase, team, owner, member, outsider, organiser)
    everything(cast)
    _systems(cast)
    _frozen(cast)
    _labels(cast)


def _scored(phase: Phase, team: Team, name: str, value: float) -> Submission:
    submission = submit(phase, team, name=name, now=NOW)
    finish(submission, value=value, seed=int(100 * value))
    return submission


def _systems(cast: Cast) -> None:
    """Systems in every state, and two that are tied."""
    phase = cast.phase
    first, second, third = (TeamFactory.create() for _ in range(3))
    _scored(phase, first, "First", 0.7)
    _scored(phase, second, "Tied", 0.7)
    _scored(phase, second, "Worse", 0.3)
    gone = _scored(phase, cast.team, "Withdrawn", 0.8)
    submission_withdraw(submission=gone, actor=cast.owner, now=LATER)
    fraud = _scored(phase, third, "Disqualified", 0.9)
    submission_disqualify(submission=fraud, reason="Copied", actor=cast.organiser, now=LATER)
    beside = _scored(phase, third, "Baseline", 0.4)
    submission_mark(submission=beside, kind=Kind.BASELINE, actor=cast.organiser, now=LATER)
    _fail(submit(phase, third, name="One failed, others wait", now=NOW))
    computed = submit(phase, cast.team, name="Computed", now=NOW)
    for evaluation in computed.evaluations.filter(family__in=("bleu", "vocab")):
        evaluation_attempt(evaluation_id=evaluation.pk)
    finish_all(
        computed.evaluations.filter(state=EvaluationState.PENDING),
        value=0.2,
        generator=np.random.default_rng(0),
    )
    rank_estimates_refresh(phase_id=phase.pk, now=LATER)


def _fail(submission: Submission) -> None:
    """Let one of a submission's evaluations fail."""
    waiting = submission.evaluations.filter(state=EvaluationState.PENDING)[0]
    claim = evaluation_claim(evaluation_id=waiting.pk, now=NOW, lease=timedelta(minutes=1))
    assert claim is not None
    job_fail(claim=claim, failure=JobFailure("The disk was full."), now=NOW)


def _frozen(cast: Cast) -> None:
    """A phase with hidden references and names, frozen, and a system that came afterwards."""
    phase = PhaseFactory.create(
        challenge=cast.phase.challenge,
        slug="frozen",
        references_public=False,
        names_hidden_until=NOW + timedelta(days=50_000),
        ranking_metric="fense",
    )
    _scored(phase, cast.team, "Before", 0.5)
    phase_freeze(phase=phase, actor=cast.organiser, now=LATER)
    _scored(phase, TeamFactory.create(), "After the freeze", 0.6)


def _labels(cast: Cast) -> None:
    """Captions that wait, and one that is settled."""
    project = make_project(cast.organiser)
    for user in (cast.member, cast.owner):
        member_add(project=project, user=user, role=Role.ANNOTATOR)
        tasks_take(project=project, user=user, count=2, now=NOW, lease=timedelta(days=1))
        label(project.items.all()[0], user, (0, 0, "WHO"), (1, 1, "WHAT"))
    gold_accept_unanimous(project=project, by=cast.organiser, now=NOW)
