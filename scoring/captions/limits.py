"""How much of a file is accepted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper limits for one file.

    ``max_candidates`` is the number of captions per clip: candidates in a
    predictions file, references in a references file.
    """

    max_bytes: int = 20_000_000
    max_rows: int = 100_000
    max_caption_chars: int = 1_000
    max_candidates: int = 20


CANDIDATE_LIMITS = Limits()
REFERENCE_LIMITS = Limits(
    max_bytes=100_000_000, max_rows=1_000_000, max_caption_chars=2_000, max_candidates=100
)
