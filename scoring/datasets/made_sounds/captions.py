"""Five captions of a scene, all true of it, in different words and of different build."""

import numpy as np

from scoring.datasets.made_sounds.clauses import SoundClause, drawn_clause
from scoring.datasets.made_sounds.made_clip import ALONE, AT_ONCE, IN_ORDER, MadeEvent, Scene
from scoring.datasets.made_sounds.wordings import SoundWording, wordings_of

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
