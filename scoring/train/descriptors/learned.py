"""Which captions the shipped labeller learned from, so that its figures on them are not believed.

Kept as digests: enough to know a caption again, too little to read one.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from scoring.models.descriptors.inventory import RESOURCES
from scoring.train.descriptors.reading import Annotated, LabelSet

_FILE = RESOURCES / "learned.txt"


def caption_digest(caption: Annotated) -> str:
    """Give 16 hex digits that stand for a caption's words, whatever their case and spaces."""
    return hashlib.sha256(caption.key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def learned_lines(sets: Sequence[LabelSet]) -> list[str]:
    """List the digests of captions in order, each once."""
    return sorted({caption_digest(caption) for part in sets for caption in part.captions})


@lru_cache(maxsize=1)
def learned_by_shipped() -> frozenset[str]:
    """Give the digests of the captions that the shipped labeller learned from."""
    return frozenset(_FILE.read_text(encoding="ascii").split())
