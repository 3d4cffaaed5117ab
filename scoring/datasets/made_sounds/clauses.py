"""Clauses that say one event truly, with those of its attributes that people would mention."""

import re
from dataclasses import dataclass

import numpy as np

from scoring.datasets.made_sounds.made_clip import MadeEvent
from scoring.datasets.made_sounds.scene_plan import MANY
from scoring.datasets.made_sounds.wordings import SoundWording

_PITCH_WORDS = {
    "low": ("low", "deep", "low pitched"),
    "high": ("high", "high pitched", "shrill"),
}
_PITCH_WORDS_OF = {
    ("bell", "low"): ("large", "deep", "low"),
    ("bell", "high"): ("small", "bright", "high pitched"),
    ("engine", "low"): ("low", "deep", "rumbling"),
    ("engine", "high"): ("small", "whining", "high pitched"),
}
# Where the kind or its wording says the pitch already, or the pitch changes.
_PITCH_UNSAID = ("siren", "buzz", "chirp")
_LEVEL_ADJECTIVES = {"loud": ("loud",), "quiet": ("quiet", "faint", "soft")}
_LEVEL_ADVERBS = {"loud": ("loudly",), "quiet": ("quietly", "softly", "faintly")}
_FAR_ADVERBS = ("in the distance", "far away", "from far away")
_NEAR_ADVERBS = ("close by", "nearby")
_COUNT_WORDS = {1: "once", 2: "twice", 3: "three times", 4: "four times"}
_MANY_WORDS = ("repeatedly", "again and again", "many times", "over and over")
_FAST_MANY = ("rapidly again and again", "many times in quick succession", "quickly and repeatedly")
_SLOW_MANY = ("slowly again and again", "many times at a slow pace", "slowly and repeatedly")
_SWINGING = {"fast": "quickly", "slow": "slowly"}
_COUNTED_KINDS = ("beep", "knock", "chirp", "bell")
_MENTIONED = 0.65
# Two adverbs of manner in a row ("quietly slowly") are hard to read; the level goes.
_LEVEL_BEFORE_MANNER = re.compile(r"\b(?:loudly|quietly|softly|faintly) (?=(?:\w+ly|fast)\b)")


@dataclass(frozen=True, slots=True)
class SoundClause:
    """One event in words: a sentence ("a bell rings") and a phrase ("a bell ringing")."""

    finite: str
    participle: str


def drawn_clause(
    draw: np.random.Generator, event: MadeEvent, wording: SoundWording, *, with_distance: bool
) -> SoundClause:
    """Put an event into words, with a part of its attributes, drawn anew at every call."""
    has_slot = any("~" in part for part in (wording.subject, wording.finite))
    adjectives: list[str] = []
    adverbs: list[str] = []
    pitch = _pitch_words(event)
    if has_slot and pitch and draw.random() < _MENTIONED:
        adjectives.append(_any(draw, pitch))
    level = event.text("level")
    if level in _LEVEL_ADVERBS and draw.random() < _MENTIONED:
        if has_slot and not adjectives and draw.random() < 0.5:
            adjectives.append(_any(draw, _LEVEL_ADJECTIVES[level]))
        else:
            adverbs.append(_any(draw, _LEVEL_ADVERBS[level]))
    if event.kind == "siren" and event.text("speed") and draw.random() < _MENTIONED:
        adverbs = [_SWINGING[event.text("speed")]]
    times = _times_words(draw, event) if event.kind in _COUNTED_KINDS else ""
    distance = _distance_words(draw, event) if with_distance else ""
    if distance in _FAR_ADVERBS and has_slot and not adjectives and draw.random() < 0.3:
        adjectives, distance = ["distant"], ""
    tail = f"{times} {distance}"
    return SoundClause(
        _said(wording, wording.finite, adjectives, adverbs, tail),
        _said(wording, wording.participle, adjectives, adverbs, tail),
    )


def _any(draw: np.random.Generator, words: tuple[str, ...]) -> str:
    return words[int(draw.integers(len(words)))]


def _pitch_words(event: MadeEvent) -> tuple[str, ...]:
    changes = event.kind == "engine" and event.text("trend") != "idling"
    if event.kind in _PITCH_UNSAID or changes:
        return ()
    pitch = event.text("pitch")
    return _PITCH_WORDS_OF.get((event.kind, pitch), _PITCH_WORDS.get(pitch, ()))


def _times_words(draw: np.random.Generator, event: MadeEvent) -> str:
    """How often something sounds, and mostly how fast."""
    speed, times = event.text("speed"), int(event.number("times"))
    if times >= MANY:
        by_speed = _FAST_MANY if speed == "fast" else _SLOW_MANY
        return _any(draw, by_speed if draw.random() < 0.5 else _MANY_WORDS)
    said = _COUNT_WORDS[times]
    if times > 2 and draw.random() < 0.5:
        return f"{said} {'in quick succession' if speed == 'fast' else 'with pauses in between'}"
    return said


def _distance_words(draw: np.random.Generator, event: MadeEvent) -> str:
    if event.text("distance") == "far":
        return _any(draw, _FAR_ADVERBS) if draw.random() < _MENTIONED else ""
    is_close = event.text("level") == "loud" and draw.random() < 0.2
    return _any(draw, _NEAR_ADVERBS) if is_close else ""


def _said(
    wording: SoundWording, verb: str, adjectives: list[str], adverbs: list[str], tail: str
) -> str:
    """Subject and verb with adjectives in the first place for them, and adverbs in theirs."""
    text = f"{wording.subject} {verb} {tail}".replace("~", " ".join(adjectives), 1)
    words = " ".join(text.replace("+", " ".join(adverbs)).split())
    return with_articles(_LEVEL_BEFORE_MANNER.sub("", words))


def with_articles(text: str) -> str:
    """The text with "a" or "an" as the next word asks for."""
    return re.sub(
        r"\b[aA]n? (?=(\w))",
        lambda found: "an " if found[1].lower() in "aeiou" else "a ",
        text,
    )
