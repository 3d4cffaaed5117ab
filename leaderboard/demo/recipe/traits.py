"""The captions of the demo's systems, each of which shows one trait, from what sounds in a clip."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from leaderboard.demo.recipe.general_words import few_words, general_words, thing
from scoring.datasets.made_sounds import MadeClip
from scoring.datasets.made_sounds.captions import drawn_clause
from scoring.datasets.made_sounds.made_clip import ALONE, AT_ONCE, IN_ORDER
from scoring.datasets.made_sounds.wordings import wordings_of

DANGLING = ("and", "a", "as", "the", "before", "into", "while")
# Other sentences than those of the references.
_SENTENCES = {
    ALONE: ("{A} all by itself", "{A} and there is nothing more to hear", "the one sound is {a}"),
    AT_ONCE: ("{A} together with {b}", "{A} and meanwhile {B}", "{A} just as {B}"),
    IN_ORDER: ("{A}, next {B}", "{A} and a moment later {B}", "to begin with {A}, then {B}"),
}
_INVENTED = (
    "a dog barks behind a fence",
    "children shout in a playground",
    "a crowd cheers in a stadium",
    "a train passes over a bridge",
    "a man speaks to an audience",
    "rain patters on a roof",
    "a guitar strums a cheerful song",
    "a baby cries in the next room",
    "thunder rolls over the hills",
    "waves crash on a beach",
    "a woman sings to her child",
    "horses trot along a village street",
    "people chat in a crowded cafe",
    "a helicopter circles overhead",
    "dishes clatter in a kitchen",
    "a cat meows at dinner",
    "cows graze near a barn",
    "fireworks explode in the sky",
)
_BROKEN, _HALF_TRUE = 0.55, 0.85
_TRIES = 200

Draw = np.random.Generator


def careful(draw: Draw, clip: MadeClip) -> str:
    """Every sound in its order, with its attributes."""
    parts: dict[str, str] = {}
    for name, event in zip("ab", clip.content, strict=False):
        wordings = wordings_of(event)
        wording = wordings[int(draw.integers(len(wordings)))]
        clause = drawn_clause(draw, event, wording, with_distance=True)
        parts |= {name: clause.participle, name.upper(): clause.finite}
    return _any(draw, _SENTENCES[clip.arrangement]).format(**parts)


def plain(_draw: Draw, clip: MadeClip) -> str:
    """The main sound in general words."""
    return general_words(clip.content[0])


def stutter(draw: Draw, clip: MadeClip) -> str:
    """What the careful listener hears, in sentences that break in one of three ways."""
    words = careful(draw, clip).split()
    if draw.random() > _BROKEN:
        return " ".join(words)
    at, way = int(draw.integers(3, len(words) - 1)), draw.random()
    if way < 0.35:
        # Stops in the middle.
        return " ".join([*words[:at], _any(draw, DANGLING)]).replace(",", "")
    if way < 0.65:
        return " ".join([*words[:at], words[at - 1].strip(","), *words[at:]])
    again = words[:4]
    return " ".join([*again, "and", *again, "and", *words]).replace(",", "")


def inventor(draw: Draw, clip: MadeClip) -> str:
    """Fluent sentences about what is not there, mostly with one sound that is."""
    one, other = (_INVENTED[at] for at in draw.choice(len(_INVENTED), size=2, replace=False))
    said = f"{one} and {other}"
    if draw.random() < _HALF_TRUE:
        return f"{said} near {thing(clip.content[0])}"
    return said


def terse(_draw: Draw, clip: MadeClip) -> str:
    """The main sound in two to four words."""
    return few_words(clip.content[0])


def _any(draw: Draw, texts: Sequence[str]) -> str:
    return texts[int(draw.integers(len(texts)))]


TRAITS: dict[str, Callable[[Draw, MadeClip], str]] = {
    "careful": careful,
    "plain": plain,
    "stutter": stutter,
    "inventor": inventor,
    "terse": terse,
}


def captions_of(slug: str, clips: Sequence[MadeClip], known: set[str]) -> list[str]:
    """A system's captions; none is a reference, and what is meant to be whole does not break."""
    draw = np.random.default_rng((list(TRAITS).index(slug), len(clips)))
    captions: list[str] = []
    for clip in clips:
        for _ in range(_TRIES):
            caption = TRAITS[slug](draw, clip)
            if slug == "stutter" or not (breaks(caption) or caption in known):
                break
        captions.append(caption)
    return captions


def breaks(caption: str) -> bool:
    """Whether a caption shows a break that needs no grammar to see."""
    words = caption.replace(",", "").split()
    trigrams = Counter(zip(words, words[1:], words[2:], strict=False))
    doubled = any(one == two for one, two in pairwise(words))
    return doubled or words[-1] in DANGLING or max(trigrams.values(), default=0) > 1
