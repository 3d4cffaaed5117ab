"""Sets of captions with labels, made anew for every epoch."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.models.fluency.text import CLASSES
from scoring.train.fluency.captions import Pair, key
from scoring.train.fluency.errors import Labels, Style, Tagged, alter

CLEAN: Labels = (0,) * len(CLASSES)


@dataclass(frozen=True, slots=True)
class Examples:
    """Normalised texts and their six labels each, shape (texts, 6)."""

    texts: list[str]
    labels: NDArray[np.float32]


def without(captions: Iterable[str], excluded: AbstractSet[str]) -> list[str]:
    """Give each distinct caption that is in no excluded file, in order."""
    distinct: dict[str, str] = {}
    for caption in captions:
        distinct.setdefault(key(caption), caption)
    return [caption for words, caption in distinct.items() if words and words not in excluded]


def sources(pairs: Sequence[Pair]) -> list[Tagged]:
    """Give the captions as written and in lemmas; only once where these are the same."""
    written = [pair[0] for pair in pairs]
    lemmas = [lemma for plain, lemma in pairs if lemma.words != plain.words]
    return [caption for caption in written + lemmas if caption.words]


def make_examples(
    captions: Sequence[Tagged], clean: AbstractSet[str], *, seed: int, epoch: int, style: Style
) -> Examples:
    """Alter each caption once; what was altered goes in clean too.

    An altered text that somebody wrote as a caption (``clean``) is no error
    and is left out. The same seed and epoch give the same examples.
    """
    rng = np.random.default_rng([seed, epoch])
    rows = [row for caption in captions for row in _rows(caption, clean, rng, style)]
    return Examples(
        [text for text, _ in rows], np.array([labels for _, labels in rows], np.float32)
    )


def _rows(
    caption: Tagged, clean: AbstractSet[str], rng: np.random.Generator, style: Style
) -> Iterator[tuple[str, Labels]]:
    made = alter(caption, rng, style=style)
    if made is not None and made[0] not in clean:
        yield made
    yield caption.text, CLEAN
