"""Small real things for tests, made through the services wherever there is one."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import factory
import numpy as np
from django.db.models import F
from django.utils import timezone

from earmark.captions import References
from earmark.packages.reading import File
from earmark.registry import metrics_of
from earmark.results import MetricScore as Score
from earmark.statistics import mean_and_interval
from leaderboard.leases import process_name
from leaderboard.models import (
    Challenge,
    Evaluation,
    EvaluationState,
    Membership,
    MetricResult,
    Phase,
    ReferenceSet,
    Submission,
    Team,
    TeamRole,
    User,
)
from leaderboard.services.evaluations.states import evaluation_claim, evaluation_finish, result_row
from leaderboard.services.organising.references import reference_set_get_or_create
from leaderboard.services.submissions.accepting import SystemDescription, submission_accept

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"

REFERENCES = References.build(
    [
        ("rain.wav", ["Rain falls on a tin roof.", "Heavy rain drums on metal."]),
        ("dog.wav", ["A dog barks twice in a yard.", "A large dog is barking outside."]),
        ("train.wav", ["A train passes over a bridge.", "A train rattles by in the distance."]),
        ("door.wav", ["Someone shuts a heavy door.", "A wooden door slams shut."]),
        ("bell, small.wav", ["A small bell rings.", "A hand bell is rung three times."]),
    ]
)

CANDIDATES = (
    b"file_name,caption_predicted\n"
    b"rain.wav,rain falls on a roof\n"
    b"dog.wav,a dog is barking\n"
    b"train.wav,a train passes by\n"
    b"door.wav,a door slams\n"
    b'"bell, small.wav",a bell rings\n'
)


class UserFactory(factory.django.DjangoModelFactory[User]):
    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"user{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password(PASSWORD)


class ChallengeFactory(factory.django.DjangoModelFactory[Challenge]):
    class Meta:
        model = Challenge

    slug = factory.Sequence(lambda n: f"challenge-{n}")
    title = factory.Sequence(lambda n: f"Challenge {n}")
    summary = "Describe sounds in one sentence."
    published = True


class PhaseFactory(factory.django.DjangoModelFactory[Phase]):
    class Meta:
        model = Phase

    challenge = factory.SubFactory(ChallengeFactory)
    slug = factory.Sequence(lambda n: f"phase-{n}")
    name = factory.Sequence(lambda n: f"Phase {n}")
    reference_set = factory.LazyAttribute(lambda phase: reference_set(challenge=phase.challenge))
    ranking_metric = "cider_d"
    references_public = True


class TeamFactory(factory.django.DjangoModelFactory[Team]):
    class Meta:
        model = Team

    slug = factory.Sequence(lambda n: f"team-{n}")
    name = factory.Sequence(lambda n: f"Team {n}")


def reference_set(
    references: References = REFERENCES, *, challenge: Challenge | None = None
) -> ReferenceSet:
    """Store references."""
    return reference_set_get_or_create(
        challenge=challenge, references=references, name="Test", now=NOW
    )


def join(team: Team, user: User, role: TeamRole = TeamRole.MEMBER) -> Membership:
    """Put a user into a team."""
    return Membership.objects.create(team=team, user=user, role=role)


def submit(
    phase: Phase,
    team: Team,
    *,
    user: User | None = None,
    name: str = "System",
    data: bytes = CANDIDATES,
    now: datetime | None = None,
) -> Submission:
    """Submit through the service; the evaluations wait."""
    return submission_accept(
        phase=phase,
        team=team,
        user=user,
        system=SystemDescription(name),
        upload=File("candidates.csv", data),
        now=now or timezone.now(),
    )


def finish(submission: Submission, *, value: float = 0.5, seed: int = 0) -> None:
    """Finish every evaluation with made-up scores about ``value``."""
    finish_all(submission.evaluations.all(), value=value, generator=np.random.default_rng(seed))


def finish_all(
    evaluations: Iterable[Evaluation], *, value: float, generator: np.random.Generator
) -> None:
    """Finish evaluations of one submission with made-up scores.

    The last goes through the job engine, which tells the team. The others are written
    together as the engine leaves them, since seventeen of them one by one were a fifth of
    the time of all tests; ``test_evaluations`` compares.
    """
    *others, last = evaluations
    rows = [
        result_row(evaluation, score)
        for evaluation in others
        for score in made_up_scores(evaluation, value=value, generator=generator)
    ]
    now = timezone.now()
    waiting = Evaluation.objects.filter(
        pk__in=[evaluation.pk for evaluation in others], state=EvaluationState.PENDING
    )
    ended = waiting.update(
        state=EvaluationState.DONE,
        token=F("token") + 1,
        attempts=F("attempts") + 1,
        worker=process_name(),
        started_at=now,
        finished_at=now,
        clips_done=F("clips_total"),
    )
    if ended != len(others):
        raise ValueError(f"Of {others} only {ended} were waiting")
    MetricResult.objects.bulk_create(rows)
    finish_evaluation(last, value=value, generator=generator)


def finish_evaluation(
    evaluation: Evaluation, *, value: float, generator: np.random.Generator
) -> None:
    """Finish one evaluation through the job engine, with made-up scores."""
    now = timezone.now()
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=timedelta(minutes=1))
    if claim is None:
        raise ValueError(f"{evaluation} is not waiting")
    scores = made_up_scores(evaluation, value=value, generator=generator)
    evaluation_finish(claim=claim, scores=scores, now=now)


def made_up_scores(
    evaluation: Evaluation, *, value: float, generator: np.random.Generator
) -> list[Score]:
    """Make up the scores of every metric of an evaluation's family."""
    scores = []
    for info in metrics_of(evaluation.family):
        per_clip = np.clip(value + 0.1 * generator.standard_normal(evaluation.clips_total), 0, 1)
        mean, interval = mean_and_interval(per_clip.astype(np.float32))
        scores.append(
            Score(info.name, mean, interval, per_clip.astype(np.float32), evaluation.signature)
        )
    return scores
