"""The judges from elsewhere of a phase: which are on, with which model, and what is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from leaderboard.models import LanguageModelUse, Phase
from leaderboard.outside_models import LanguageModelServer
from leaderboard.selectors.clips.audio import recordings_of
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.outside.estimate import CostEstimate, cost_estimate, price_of
from leaderboard.selectors.outside.installed import kind_of, outside_families


@dataclass(frozen=True, slots=True)
class PhaseJudge:
    """A judge that this installation can have, as it stands in a phase; ``model`` empty: off."""

    family: str
    label: str
    model: str

    @property
    def asks(self) -> bool:
        """Whether captions are sent to a language model."""
        return kind_of(self.family) == "language"


def phase_judges(phase: Phase) -> list[PhaseJudge]:
    """All judges that are on in a phase or that it can turn on."""
    offered = outside_families()
    families = [*offered, *(name for name in phase.parameters if kind_of(name))]
    return [
        PhaseJudge(name, family_label(name), str(phase.parameters.get(name, {}).get("model", "")))
        for name in dict.fromkeys(families)
    ]


def host_asked(phase: Phase) -> str:
    """The host to which captions and references of a phase are sent; empty: to none."""
    if not any(kind_of(name) == "language" for name in phase.parameters):
        return ""
    uses = LanguageModelUse.objects.filter(phase=phase, active=True)
    return uses.values_list("host", flat=True).first() or ""


def hearing_state(phase: Phase) -> dict[str, Any]:
    """The recordings that a phase has here, and whether others were there when it was turned on."""
    found = recordings_of(phase.reference_set)
    used = {
        values["recordings"] for name, values in phase.parameters.items() if kind_of(name) == "clap"
    }
    return {
        "recordings": len(found.files),
        "clips": phase.reference_set.clip_count if phase.reference_set else 0,
        "changed": bool(used - {found.digest}),
    }


def cost_estimates(phase: Phase) -> list[CostEstimate]:
    """An estimate for each language model of the installation."""
    return [cost_estimate(phase, server) for server in settings.LANGUAGE_MODELS.values()]


@dataclass(frozen=True, slots=True)
class AskingState:
    """What was sent to a phase's language model so far; ``price`` None: not known."""

    use: LanguageModelUse
    server: LanguageModelServer | None

    @property
    def price(self) -> float | None:
        """Price of the tokens that the server counted."""
        if self.server is None:
            return None
        return price_of(self.server, self.use.tokens_in, self.use.tokens_out)

    @property
    def moved(self) -> bool:
        """Whether the model is gone, or has another address than was agreed to."""
        return self.server is None or self.server.host != self.use.host


def asking_state(phase: Phase) -> AskingState | None:
    """What was sent of a phase; None: it never turned a language model on."""
    use = LanguageModelUse.objects.filter(phase=phase).first()
    servers: Mapping[str, Any] = settings.LANGUAGE_MODELS
    return None if use is None else AskingState(use, servers.get(use.model))
