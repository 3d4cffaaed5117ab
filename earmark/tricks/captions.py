"""The tricks: ways of writing captions that might raise a score and help no listener.

None looks at the references of the clip that it describes. Where one needs words or captions
that are common, it takes them from all references together, as the makers of a system could
from the training split.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt

from earmark.text.ptb import tokenize

Captions = Sequence[str]

COMMON_WORDS = 12
SOUNDS_IN_A_ROW = 3
FILLER = "in the background while the sound goes on and on in the distance over and over again"


@dataclass(frozen=True, slots=True)
class Trick:
    """A way of writing captions.

    ``write(honest, references)`` gives one caption for each caption of the honest system;
    ``references`` are those of all clips.
    """

    name: str
    label: str
    about: str
    write: Callable[[Captions, Captions], list[str]]


def _repeated(honest: Captions, _references: Captions) -> list[str]:
    return [f"{_open(caption)} and {_continued(caption)}" for caption in honest]


def _drawn_out(honest: Captions, _references: Captions) -> list[str]:
    return [f"{_open(caption)} {FILLER}" for caption in honest]


def _many_sounds(honest: Captions, _references: Captions) -> list[str]:
    return [
        ", ".join([_open(caption), *(_continued(_elsewhere(honest, at, n)) for n in _IN_A_ROW)])
        for at, caption in enumerate(honest)
    ]


def _hedged(honest: Captions, _references: Captions) -> list[str]:
    return [
        f"{_open(caption)} or {_continued(_elsewhere(honest, at))}"
        for at, caption in enumerate(honest)
    ]


def _another_clip(honest: Captions, _references: Captions) -> list[str]:
    return [_elsewhere(honest, at) for at in range(len(honest))]


def _keywords(honest: Captions, _references: Captions) -> list[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    listed = (
        " ".join(word for word in tokenize(caption) if word not in STOP_WORDS) for caption in honest
    )
    # A caption of stop words alone stays as it is, since an empty one is refused.
    return [words or caption for words, caption in zip(listed, honest, strict=True)]


def _generic(honest: Captions, references: Captions) -> list[str]:
    return [_most_typical(references)] * len(honest)


def _common_words(honest: Captions, references: Captions) -> list[str]:
    counted = Counter(word for caption in references for word in tokenize(caption))
    words = sorted(counted, key=lambda word: (-counted[word], word))[:COMMON_WORDS]
    return [" ".join(words)] * len(honest)


_IN_A_ROW = range(1, SOUNDS_IN_A_ROW + 1)

TRICKS = tuple(
    Trick(*row)
    for row in (
        ("repeated", "Repeated", "saying a caption twice", _repeated),
        ("drawn_out", "Drawn out", "padding a caption with empty words", _drawn_out),
        (
            "many_sounds",
            "Many sounds",
            f"adding the captions of {SOUNDS_IN_A_ROW} other clips",
            _many_sounds,
        ),
        ("hedged", "Hedged", "offering the caption of another clip with “or”", _hedged),
        (
            "keywords",
            "Keywords",
            "leaving out the stop words of a caption",
            _keywords,
        ),
        ("another_clip", "Another clip", "giving the caption of another clip", _another_clip),
        (
            "generic",
            "One for all",
            "giving every clip one caption, the reference most like all others",
            _generic,
        ),
        (
            "common_words",
            "Common words",
            f"giving every clip the {COMMON_WORDS} most common words of all references",
            _common_words,
        ),
    )
)


def _open(caption: str) -> str:
    """A caption that can go on: without its full stop."""
    return caption.strip().rstrip(".").rstrip()


def _continued(caption: str) -> str:
    """A caption that goes on after another one."""
    text = _open(caption)
    return text[:1].lower() + text[1:]


def _elsewhere(honest: Captions, clip: int, number: int = 1) -> str:
    """The caption of another clip, far away in the file, whose neighbours can be alike."""
    step = max(1, len(honest) // (SOUNDS_IN_A_ROW + 2))
    return honest[(clip + number * step) % len(honest)]


def _most_typical(captions: Captions) -> str:
    """The caption with the highest mean cosine to all others, words weighted by rarity."""
    words = {caption: Counter(tokenize(caption)) for caption in dict.fromkeys(captions)}
    documents = Counter(word for counts in words.values() for word in counts)
    weights = {
        caption: _unit((word, n * log(len(words) / documents[word])) for word, n in counts.items())
        for caption, counts in words.items()
    }
    total: Counter[str] = Counter()
    for caption in captions:
        total.update(weights[caption])
    return max(
        weights,
        key=lambda caption: sum(weight * total[word] for word, weight in weights[caption].items()),
    )


def _unit(weights: Iterable[tuple[str, float]]) -> dict[str, float]:
    listed = list(weights)
    length = sqrt(sum(weight * weight for _, weight in listed))
    return {word: weight / length for word, weight in listed} if length else {}
