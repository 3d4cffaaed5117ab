"""Captions with one thing wrong, made from references: pairs whose better caption is known.

They keep the weights from learning what a data set of judgments looks like, for example that
the longer of two captions is the better one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from earmark.captions import References
from earmark.tricks.events import continued, events_of, parts_of, with_event

# Of one clip, so that no clip counts for many times what another does.
PAIRS_PER_CLIP = 5
FEWEST_REFERENCES = 3
FILLERS = (
    "in the background",
    "and other sounds are heard",
    "and the sound continues on and on",
    "at a steady pace for a while",
    "over and over again in the distance",
    "and then it goes on",
    "in an open space nearby",
    "and something else is happening as well",
)
_ORDERED = re.compile("follow|then|before|after", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class AlteredPair:
    """A reference and the same caption made worse, to be scored against the other references.

    ``kind`` says what is wrong with it; ``clip`` is the place of the clip in the corpus.
    """

    better: str
    worse: str
    references: tuple[str, ...]
    kind: str
    clip: int


def altered_pairs(references: References, *, seed: int) -> list[AlteredPair]:
    """Up to ``PAIRS_PER_CLIP`` pairs of each clip of at least three references; seeded."""
    rng = Random(seed)  # noqa: S311 a choice of examples, no secret
    events = events_of(references.captions)
    if not events:
        return []
    return [
        pair
        for at, clip in enumerate(references.clips)
        if len(clip.references) >= FEWEST_REFERENCES
        for pair in _pairs_of(at, clip.references, events, references.captions, rng)
    ]


def _pairs_of(
    clip: int, own: Sequence[str], events: Sequence[str], everyone: Sequence[str], rng: Random
) -> list[AlteredPair]:
    chosen = rng.randrange(len(own))
    better = own[chosen].strip()
    rest = tuple(text for at, text in enumerate(own) if at != chosen)
    made = [
        (kind, text)
        for kind, text in _alterations(better, events, everyone, rng).items()
        if text and text.casefold() != better.casefold() and text not in own
    ]
    rng.shuffle(made)
    return [AlteredPair(better, text, rest, kind, clip) for kind, text in made[:PAIRS_PER_CLIP]]


def _alterations(
    caption: str, events: Sequence[str], everyone: Sequence[str], rng: Random
) -> dict[str, str]:
    """The caption with one thing wrong, by what is wrong with it."""
    plain = caption.rstrip(". ")
    event = rng.choice(events)
    more = ", ".join(rng.choice(events) for _ in range(3))
    return {
        "sound invented": with_event(plain, event, rng),
        "many sounds invented": f"{plain}, {more}",
        "hedged": f"{plain} or {event}",
        "padded": f"{plain} {rng.choice(FILLERS)}",
        "said twice": f"{plain} and {continued(plain)}",
        "keywords": " ".join(word for word in _WORD.findall(plain.lower()) if len(word) > 3),
        "of another clip": rng.choice(everyone).strip(),
        **_of_parts(plain, event, rng),
    }


def _of_parts(plain: str, event: str, rng: Random) -> dict[str, str]:
    """What can be done to a caption of several events: one dropped, swapped, or their order."""
    parts, joints = parts_of(plain)
    if len(parts) < 2:
        return {"sound swapped": _begun(event)}
    at = rng.randrange(len(parts))
    kept = [part for place, part in enumerate(parts) if place != at]
    held = [joint for place, joint in enumerate(joints) if place != max(0, at - 1)]
    swapped = [event if place == at else part for place, part in enumerate(parts)]
    altered = {"sound dropped": _joined(kept, held), "sound swapped": _joined(swapped, joints)}
    if _ORDERED.search("".join(joints)):
        altered["order reversed"] = _joined(parts[::-1], joints[::-1])
    return altered


def _joined(parts: Sequence[str], joints: Sequence[str]) -> str:
    text = parts[0] + "".join(
        joint + continued(part) for joint, part in zip(joints, parts[1:], strict=True)
    )
    return _begun(text.strip())


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]
