"""The texts of the playground: one caption and up to ten references."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from earmark.captions import Candidates, Fault, References
from earmark.captions.caption_checks import check_caption
from earmark.captions.faults import FaultLog
from earmark.captions.file_layout import Limits
from earmark.errors import ResourceMissing
from earmark.explanations import example_corpus
from earmark.metrics.meteor.normalizer import words_of
from earmark.registry import METRICS
from earmark.text.ptb import tokenize
from leaderboard.web.refusals import Refused

MOST_CHARS = 500
# METEOR's search grows with the square of this, and 500 characters can be as many words.
MOST_WORDS = 100
MOST_REFERENCES = 10
# Of a form or of JSON: every character that may be sent, escaped, and the markup around them.
MOST_BYTES = 80_000
CAPTION, REFERENCES = "caption", "references"
CLIP = "try.wav"
# A caption that is half right shows what is matched, invented and missed.
EXAMPLE = "hall.wav"

_LIMITS = Limits(max_caption_chars=MOST_CHARS)
_BREAK = re.compile(r"\r\n|\r|\n")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PlaygroundTexts:
    """One caption and its references, stripped."""

    caption: str
    references: tuple[str, ...]

    @property
    def candidates(self) -> Candidates:
        """The caption as the scorer takes it."""
        return Candidates.single([self.caption])

    def against(self, documents: References) -> References:
        """The references as the scorer takes them, words weighed by ``documents``."""
        own = References.build([(CLIP, self.references)])
        return References(own.clips, documents=documents)


def too_long() -> str:
    """Why a body of more than ``MOST_BYTES`` is not read."""
    return (
        f"The texts are larger than {MOST_BYTES:,} bytes. Send at most {MOST_REFERENCES} references"
        f" of at most {MOST_CHARS} characters."
    )


def lines_of(text: str) -> list[str]:
    """Split what was typed into lines."""
    return _BREAK.split(text)


def texts_read(
    *, caption: str, references: Iterable[str]
) -> tuple[PlaygroundTexts, tuple[Fault, ...]]:
    """The typed texts with their warnings; refused with all that is wrong.

    Blank references are left out; faults of the others have their number, from 1, as
    their line.
    """
    faults = FaultLog()
    rows = [(line, text.strip()) for line, text in enumerate(references, 1) if text.strip()]
    one_line = " ".join(part.strip() for part in lines_of(caption)).strip()
    if one_line:
        _inspect(one_line, None, CAPTION, faults)
    else:
        faults.error("There is no caption. Write one.", column=CAPTION)
    _check_references(rows, faults)
    reading = faults.reading(PlaygroundTexts(one_line, tuple(text for _, text in rows)))
    if reading.value is None:
        raise Refused("The texts cannot be taken.", status=422, faults=reading.errors)
    return reading.value, reading.warnings


def example_texts(metric: str | None = None) -> PlaygroundTexts:
    """A clip of the packaged example: the one that shows best what a metric does."""
    candidates, references = example_corpus()
    info = METRICS.get(metric or "")
    names = references.file_names
    shown = info.explanation.clip if info is not None else EXAMPLE
    place = names.index(shown if shown in names else EXAMPLE)
    return PlaygroundTexts(candidates.first[place], references.clips[place].references)


def _check_references(rows: Sequence[tuple[int, str]], faults: FaultLog) -> None:
    if not rows:
        faults.error("There is no reference. Write at least one.", column=REFERENCES)
    elif len(rows) > MOST_REFERENCES:
        line, text = rows[MOST_REFERENCES]
        over = len(rows) - MOST_REFERENCES
        faults.error(
            f"There are {len(rows):,} references and the limit is {MOST_REFERENCES}."
            f" Remove {over:,} of them.",
            line,
            REFERENCES,
            text,
        )
    else:
        for line, text in rows:
            _inspect(text, line, REFERENCES, faults)


def _inspect(text: str, line: int | None, column: str, faults: FaultLog) -> None:
    # The reader of files would say to write the file again.
    if _SURROGATE.search(text):
        faults.error(
            "The text has half of a character (a lone surrogate). Type it again.",
            line,
            column,
            text,
        )
        return
    own = FaultLog()
    check_caption(text, line or 1, column, _LIMITS, own)
    own_faults = own.reading(None).faults
    for fault in own_faults:
        note = faults.error if fault.severity == "error" else faults.warning
        note(fault.message, line, column, text)
    if any(fault.severity == "error" for fault in own_faults):
        return
    count = word_count(text)
    if count > MOST_WORDS:
        faults.error(
            f"The metrics split the text into {count:,} words and punctuation marks, and the limit"
            f" is {MOST_WORDS}. Shorten it.",
            line,
            column,
            text,
        )


def word_count(text: str) -> int:
    """Number of words as the metrics count them: METEOR splits some that others do not."""
    tokens = tokenize(text)
    try:
        return max(len(tokens), len(words_of(tokens)))
    except ResourceMissing:
        # METEOR says so itself.
        return len(tokens)
