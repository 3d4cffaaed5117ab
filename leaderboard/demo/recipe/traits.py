"""The captions of the demo's systems, each of which shows one trait, from what sounds in a clip."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from earmark.datasets.made_sounds import MadeClip, MadeEvent
from earmark.datasets.made_sounds.captions import drawn_clause
from earmark.datasets.made_sounds.made_clip import ALONE, AT_ONCE, IN_ORDER
from earmark.datasets.made_sounds.wordings import wordings_of

# Sounds in general words, for systems that say less than the references, or other things.
_TIMES = {1: "once", 2: "twice", 3: "three times", 4: "four times"}
_GENERAL = {
    "tone": "a device plays a steady tone",
    "siren rising": "a siren is rising in pitch",
    "siren falling": "a siren is falling in pitch",
    "siren up and down": "a siren is wailing up and down",
    "hiss": "air is hissing without a break",
    "wind": "the wind is blowing outdoors",
    "stream steady": "water is running from a tap",
    "stream bubbling": "water is bubbling in a stream",
    "engine idling": "an engine is running at a constant speed",
    "engine speeding up": "an engine is speeding up",
    "engine slowing down": "an engine is slowing down",
    "buzz low": "an electric hum is buzzing",
    "buzz high": "an insect is buzzing around",
    "beep": "an electronic device is beeping",
    "knock": "someone is knocking on wood",
    "chirp": "a small bird is chirping",
    "drops": "drops of water are dripping",
    "footsteps gravel": "a person is walking on gravel",
    "footsteps hard floor": "a person is walking on a hard floor",
    "bell": "a metal bell is ringing",
}
_FEW_WORDS = {
    "tone": "steady tone",
    "siren": "siren wailing",
    "hiss": "hissing air",
    "wind": "wind blowing",
    "stream": "running water",
    "engine idling": "engine idling",
    "engine speeding up": "engine speeding up",
    "engine slowing down": "engine slowing down",
    "buzz low": "electric hum",
    "buzz high": "insect buzzing",
    "beep": "device beeping",
    "knock": "knocking on wood",
    "chirp": "bird chirping",
    "drops": "water dripping",
    "footsteps gravel": "footsteps on gravel",
    "footsteps hard floor": "footsteps on floor",
    "bell": "bell ringing",
}
_THINGS = {
    "tone": "a steady tone",
    "siren": "a siren",
    "hiss": "hissing air",
    "wind": "the wind",
    "stream": "running water",
    "engine": "an engine",
    "buzz low": "an electric hum",
    "buzz high": "an insect",
    "beep": "a beeping device",
    "knock": "a knock on wood",
    "chirp": "a chirping bird",
    "drops": "dripping water",
    "footsteps": "footsteps",
    "bell": "a ringing bell",
}


def general_words(event: MadeEvent) -> str:
    """A plain clause, with the number of times or the distance where there is one."""
    text = _of(_GENERAL, event)
    if times := _TIMES.get(int(event.number("times"))):
        text = f"{text} {times}"
    return f"{text} in the distance" if event.text("distance") == "far" else text


def few_words(event: MadeEvent) -> str:
    """Two to four words."""
    loud = "loud " if event.text("level") == "loud" else ""
    return loud + _of(_FEW_WORDS, event)


def thing(event: MadeEvent) -> str:
    """What sounds, as a thing."""
    return _of(_THINGS, event)


def _of(words: dict[str, str], event: MadeEvent) -> str:
    """The entry of the kind, or of the kind with one of its attributes."""
    for name in ("trend", "flow", "pitch", "surface"):
        if entry := words.get(f"{event.kind} {event.text(name)}"):
            return entry
    return words[event.kind]


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
    sounds = f"{one} and {other}"
    if draw.random() < _HALF_TRUE:
        return f"{sounds} near {thing(clip.content[0])}"
    return sounds


def _any(draw: Draw, texts: Sequence[str]) -> str:
    return texts[int(draw.integers(len(texts)))]


TRAITS: dict[str, Callable[[Draw, MadeClip], str]] = {
    "careful": careful,
    # The main sound alone.
    "plain": lambda _draw, clip: general_words(clip.content[0]),
    "stutter": stutter,
    "inventor": inventor,
    "terse": lambda _draw, clip: few_words(clip.content[0]),
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
