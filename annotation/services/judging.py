"""Handing what judges said over to the phase, whose metrics are compared with it."""

from django.db import transaction

from annotation.models import Project
from annotation.selectors.judging.votes import votes_of
from annotation.services.projects import ProjectAct
from leaderboard.models import JudgmentSet, Phase
from leaderboard.services.judgments.states import judgments_store


@transaction.atomic
def judgments_hand_over(*, project: Project, phase: Phase, act: ProjectAct) -> JudgmentSet:
    """Have the metrics of a phase compared with the votes of a project as they are now.

    Callers have checked that the actor organises the phase. Refused where no pair is decided.
    """
    pairs = [pair.in_order for pair in votes_of(project).pairs]
    act.note("judgments", project, phase=str(phase), pairs=len(pairs))
    return judgments_store(
        phase=phase,
        actor=act.actor,
        now=act.now,
        source=f"labelling/{project.slug}",
        name=project.name,
        pairs=[
            {
                "clip": pair.clip,
                "facet": pair.facet,
                "captions": list(pair.captions),
                "truth": float(sum(pair.votes.values())),
                "votes": list(pair.votes.values()),
            }
            for pair in pairs
        ],
        judges=len({judge for pair in pairs for judge in pair.votes}),
        votes=sum(len(pair.votes) for pair in pairs),
    )
