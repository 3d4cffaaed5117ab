"""Judges from elsewhere: the models that are installed, what a phase uses, what it costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.conf import settings

from earmark.captions import References
from earmark.errors import ResourceMissing
from earmark.metrics.clair_a.prompt import question
from earmark.metrics.descriptor import InstalledModel
from earmark.registry import FAMILIES
from leaderboard.models import LanguageModelUse, Phase
from leaderboard.outside_models import LanguageModelServer
from leaderboard.selectors.clips.audio import recordings_of
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.evaluations.progress import family_label


def language_model_server(name: str) -> LanguageModelServer:
    """A language model by its name here; raises ``ResourceMissing``."""
    server: LanguageModelServer | None = settings.LANGUAGE_MODELS.get(name)
    if server is None:
        raise ResourceMissing(f"This site has no model called {name!r} any more.")
    return server


def installed_model(kind: InstalledModel, name: str) -> str:
    """What a metric family is given for a name: the language model's own name, or a folder.

    Raises ``ResourceMissing``.
    """
    if kind == "language":
        return language_model_server(name).model
    folder: str | None = settings.CLAP_MODELS.get(name)
    if folder is None:
        raise ResourceMissing(f"This site has no model called {name!r} any more.")
    return folder


def kind_of(family: str) -> InstalledModel | None:
    """The kind of model that a family takes from the settings; None: it is no outside judge."""
    known = FAMILIES.get(family)
    kinds = (option.names_installed for option in known.options) if known else iter(())
    return next((kind for kind in kinds if kind is not None), None)


def outside_families() -> list[str]:
    """Families that this installation has a model for, in the order of the registry."""
    models = {"language": settings.LANGUAGE_MODELS, "clap": settings.CLAP_MODELS}
    return [name for name in FAMILIES if (kind := kind_of(name)) and models[kind]]


# English text has some four characters a token; an answer has a sentence or two.
CHARACTERS = 4
TOKENS_OUT = 80


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What judging the present systems of a phase would take.

    Tokens are those of one request; prices are in ``server.currency``, None where the settings
    have none.
    """

    server: LanguageModelServer
    systems: int
    clips: int
    tokens_in: int

    @property
    def requests(self) -> int:
        """One for each clip of each system."""
        return self.systems * self.clips

    @property
    def price(self) -> float | None:
        """Price of all requests."""
        return self.price_of(self.requests)

    @property
    def price_per_system(self) -> float | None:
        """Price of one more system."""
        return self.price_of(self.clips)

    def price_of(self, requests: int) -> float | None:
        """Price of so many requests."""
        return price_of(self.server, requests * self.tokens_in, requests * TOKENS_OUT)

    @property
    def minutes_per_system(self) -> int:
        """How long one system takes at the least, at the pace of the settings."""
        return ceil(self.clips / self.server.requests_per_minute)

    @property
    def too_slow(self) -> bool:
        """Whether a system takes longer than an attempt may."""
        return self.minutes_per_system * 60 > settings.TIME_LIMIT.total_seconds()


def price_of(server: LanguageModelServer, tokens_in: int, tokens_out: int) -> float | None:
    """Price of tokens; None where the settings have no prices."""
    if server.price_in is None or server.price_out is None:
        return None
    return (tokens_in * server.price_in + tokens_out * server.price_out) / 1_000_000


def cost_estimate(phase: Phase, server: LanguageModelServer) -> CostEstimate:
    """Estimate for a phase, its human row and withdrawn systems among those that are judged."""
    stored = phase.reference_set
    references = references_of(stored.content_hash) if stored is not None else None
    return CostEstimate(
        server=server,
        systems=phase.submissions.count(),
        clips=len(references) if references else 0,
        tokens_in=_tokens(references) if references else 0,
    )


def _tokens(references: References) -> int:
    """Mean tokens of a request, with a clip's first reference in the place of a caption."""
    questions = (question(clip.references[0], clip.references) for clip in references.clips)
    characters = sum(len(message.text) for messages in questions for message in messages)
    return ceil(characters / CHARACTERS / len(references))


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
    recordings = recordings_of(phase.reference_set)
    used = {
        values["recordings"] for name, values in phase.parameters.items() if kind_of(name) == "clap"
    }
    return {
        "recordings": len(recordings.files),
        "clips": phase.reference_set.clip_count if phase.reference_set else 0,
        "changed": bool(used - {recordings.digest}),
    }


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
