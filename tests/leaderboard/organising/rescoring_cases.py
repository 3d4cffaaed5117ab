"""What the tests of rescoring share: systems whose CIDEr-D was really computed, and a dry run."""

import numpy as np

from leaderboard.models import EvaluationState, Phase, Rescoring, Submission, Team, User
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.organising.rescoring import rescoring_open, rescoring_waiting
from tests.factories import NOW, finish_all, submit

HEAD = b"file_name,caption_predicted\n"
# With the usual width of the length penalty the first is better, with a narrow one the second.
LONG = (
    b"rain.wav,rain falls on a tin roof and heavy rain drums on metal again and again\n"
    b"dog.wav,a dog barks twice in a yard and a large dog is barking outside there\n"
    b"train.wav,a train passes over a bridge and a train rattles by in the distance\n"
    b"door.wav,someone shuts a heavy door and then a wooden door slams shut again\n"
    b'"bell, small.wav",a small bell rings and a hand bell is rung three times more\n'
)
SHORT = (
    b"rain.wav,rain falls on the roof\n"
    b"dog.wav,a dog barks over there\n"
    b"train.wav,a train passes somewhere over there\n"
    b"door.wav,someone shuts the other door\n"
    b'"bell, small.wav",the bell rings\n'
)
NARROW = {"cider_d": {"sigma": 1.0}}


def scored_truly(phase: Phase, team: Team, name: str, rows: bytes) -> Submission:
    """Submit; CIDEr-D is computed, everything else made up."""
    submission = submit(phase, team, name=name, data=HEAD + rows)
    evaluation_attempt(evaluation_id=submission.evaluations.get(family="cider_d").pk)
    waiting = submission.evaluations.filter(state=EvaluationState.PENDING)
    finish_all(waiting, value=0.5, generator=np.random.default_rng(0))
    return submission


def dry_run(phase: Phase, actor: User | None = None) -> Rescoring:
    """Open a rescoring with a narrow length penalty."""
    return rescoring_open(
        phase=phase, parameters=NARROW, reason="Shorter captions", actor=actor, now=NOW
    )


def compute(rescoring: Rescoring) -> None:
    """Do what a worker does with what waits of a rescoring."""
    for pk in rescoring_waiting(rescoring):
        evaluation_attempt(evaluation_id=pk)


def board(phase: Phase) -> Ranking:
    """The ranking of all systems as it is now, read anew."""
    return ranking_of(Phase.objects.get(pk=phase.pk), every_system=True)


def names(phase: Phase) -> list[str]:
    """The systems in rank order."""
    return [line.system_name for line in board(phase).rows]
