"""What refers to a labeller, so that it has to stay."""

from leaderboard.models import Evaluation, Labeller, Phase, Rescoring


def why_needed(labeller: Labeller) -> str:
    """Say why a labeller cannot be deleted; empty where nothing refers to it.

    No phase is named: who asks may not know of it.
    """
    named = {"parameters__aces__labeller": labeller.identity}
    scored = {"family": "aces", "parameters__labeller": labeller.identity}
    if labeller.uses.exists():
        return f"{labeller} was in use, and what was in use is kept with the history."
    phases = Phase.objects.filter(**named).count()
    if phases:
        return f"{'A phase scores' if phases == 1 else f'{phases:,} phases score'} with {labeller}."
    if Evaluation.objects.filter(**scored).exists():
        return f"Scores were computed with {labeller}. It is kept so that they can be traced."
    if Rescoring.objects.filter(**named).exists():
        return f"A rescoring names {labeller}. It is kept so that one can go back to it."
    return ""
