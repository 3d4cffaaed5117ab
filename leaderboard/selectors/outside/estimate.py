"""What asking a language model about a phase's systems may cost, before anything is sent."""

from dataclasses import dataclass
from math import ceil

from django.conf import settings

from leaderboard.models import Phase
from leaderboard.outside_models import LanguageModelServer
from leaderboard.selectors.clips.corpus import references_of
from scoring.captions import References
from scoring.metrics.clair_a.prompt import question

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
    asked = (question(clip.references[0], clip.references) for clip in references.clips)
    characters = sum(len(message.text) for messages in asked for message in messages)
    return ceil(characters / CHARACTERS / len(references))
