"""Five captions of a scene, all true of it, in different words and of different build."""

import re
from dataclasses import dataclass

import numpy as np

from earmark.datasets.made_sounds.made_clip import ALONE, AT_ONCE, IN_ORDER, MadeEvent, Scene
from earmark.datasets.made_sounds.scene_plan import MANY
from earmark.datasets.made_sounds.wordings import SoundWording, wordings_of

CAPTIONS = 5
FEWEST_WORDS, MOST_WORDS = 8, 20
# Seconds without a sound, from which people speak of silence.
_SILENCE = 0.7
# "A" and "B" are sentences, "a" and "b" phrases; "A" is what comes first or stands in front.
_TEMPLATES = {
    ALONE: (
        "{A} in an otherwise quiet place",
        "{A} and nothing else can be heard",
        "{A} while everything else is silent",
        "{a} can be heard",
        "{A} with no other sounds around",
        "it is quiet except for {a}",
        "only {a} can be heard",
        "{A}",
    ),
    AT_ONCE: (
        "{A} while {B}",
        "{B} while {A}",
        "{A} as {B}",
        "{B} as {A}",
        "{A} with {b} in the background",
        "while {B}, {A}",
        "{A} over the sound of {b}",
        "{A} and {B} at the same time",
        "{b} can be heard while {A}",
    ),
    IN_ORDER: (
        "{A} and then {B}",
        "{A}, followed by {b}",
        "first {A}, then {B}",
        "{B} after {A}",
        "{A} before {B}",
        "{A} and afterwards {B}",
        "at first {A}, and later {B}",
        "{A}, and after that {B}",
    ),
}
_BEGINS_SILENT = ("after a short silence {A}", "it is silent at first, then {A}")
_ENDS_SILENT = ("{A}, then it is silent", "{A} and then everything falls silent")
_ECHOES = ("{A} in a large hall with an echo", "{A} and it echoes in a large room")
_TRIES = 400
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
    count = _COUNT_WORDS[times]
    if times > 2 and draw.random() < 0.5:
        return f"{count} {'in quick succession' if speed == 'fast' else 'with pauses in between'}"
    return count


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


def five_captions(draw: np.random.Generator, scene: Scene) -> tuple[str, ...]:
    """Draw captions of 8 to 20 words until five differ, each with a template of its own."""
    templates = _templates(scene)
    order = [templates[place] for place in draw.permutation(len(templates))]
    words = [_shuffled(draw, event) for event in scene.events]
    captions: list[str] = []
    for number in range(_TRIES):
        wordings = [own[(number + len(captions)) % len(own)] for own in words]
        if len({wording.subject.split()[-1] for wording in wordings}) < len(wordings):
            continue  # "a tone sounds and a tone beeps" would speak of one tone
        caption = _caption(draw, scene, order[number % len(order)], wordings)
        if FEWEST_WORDS <= len(caption.split()) <= MOST_WORDS and caption not in captions:
            captions.append(caption)
            if len(captions) == CAPTIONS:
                return tuple(captions)
    raise RuntimeError(f"No five captions of {FEWEST_WORDS} to {MOST_WORDS} words say {scene}.")


def _shuffled(draw: np.random.Generator, event: MadeEvent) -> list[SoundWording]:
    wordings = wordings_of(event)
    return [wordings[place] for place in draw.permutation(len(wordings))]


def _templates(scene: Scene) -> tuple[str, ...]:
    """Sentences that are true of how the events lie."""
    fitting = _TEMPLATES[scene.arrangement]
    if scene.arrangement == ALONE:
        event = scene.events[0]
        if event.start >= _SILENCE:
            fitting += _BEGINS_SILENT
        if scene.seconds - event.end >= _SILENCE:
            fitting += _ENDS_SILENT
        if scene.place == "hall":
            fitting += _ECHOES
    return fitting


def _caption(
    draw: np.random.Generator, scene: Scene, template: str, wordings: list[SoundWording]
) -> str:
    clauses: list[SoundClause] = []
    for place, (event, wording) in enumerate(zip(scene.events, wordings, strict=True)):
        says_where = "in the background" in template and place == 1
        clauses.append(drawn_clause(draw, event, wording, with_distance=not says_where))
    parts: dict[str, str] = {}
    for name, clause in zip("ab", clauses, strict=False):
        parts |= {name: clause.participle, name.upper(): clause.finite}
    text = template.format(**parts)
    return f"{text[0].upper()}{text[1:]}."
