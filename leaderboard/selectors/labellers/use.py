"""Which labeller is in use, and what else refers to a labeller.

The one in use serves new phases, suggestions, the order of captions and the playground.
"""

from typing import Any

from django.db.models import Q

from leaderboard.models import Evaluation, Labeller, LabellerUse, Phase, Rescoring
from leaderboard.selectors.labellers.files import (
    installation_path,
    labeller_folder,
    shipped_identity,
)


def latest_use() -> LabellerUse | None:
    """The latest row of the history, whichever labeller it names; None where nothing was chosen."""
    return LabellerUse.objects.select_related("labeller").first()


def labeller_in_use() -> LabellerUse | None:
    """When and why the labeller in use was chosen; None: the shipped one is in use."""
    last = latest_use()
    return last if last is not None and last.labeller_id is not None else None


def identity_in_use() -> str:
    """Identity of the labeller in use, as signatures have it."""
    use = labeller_in_use()
    return shipped_identity() if use is None else use.identity


def labeller_path_in_use() -> str:
    """What ``find_labeller`` takes for the labeller in use, its files verified.

    Raises as ``labeller_folder`` does.
    """
    use = labeller_in_use()
    return installation_path() if use is None else str(labeller_folder(use.identity))


def new_phase_parameters() -> dict[str, dict[str, Any]]:
    """What a new phase scores with: the labeller in use, and all else as installed."""
    use = labeller_in_use()
    return {} if use is None else {"aces": {"labeller": use.identity}}


def why_needed(labeller: Labeller | None) -> str:
    """Why a labeller cannot be deleted, empty where nothing refers to it; None: the shipped one.

    No phase is named: the reader may not know of it.
    """
    if labeller is None:
        return "It comes with the installation."
    # A composite that ACES is part of keeps its parameters by itself.
    named = Q(parameters__aces__labeller=labeller.identity) | Q(
        parameters__composite__parts__aces__labeller=labeller.identity
    )
    scored = Q(family="aces", parameters__labeller=labeller.identity) | Q(
        family="composite", parameters__parts__aces__labeller=labeller.identity
    )
    if labeller.uses.exists():
        return f"{labeller} was in use, and what was in use is kept with the history."
    phases = Phase.objects.filter(named).count()
    if phases:
        return f"{'A phase scores' if phases == 1 else f'{phases:,} phases score'} with {labeller}."
    if Evaluation.objects.filter(scored).exists():
        return f"Scores were computed with {labeller}. It is kept so that they can be traced."
    if Rescoring.objects.filter(named).exists():
        return f"A rescoring names {labeller}. It is kept so that one can go back to it."
    return ""
