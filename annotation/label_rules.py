"""What a label scheme has to keep to, and what is wrong with one."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

from annotation.models.scheme import Label
from annotation.spans import OUTSIDE
from earmark.captions.faults import in_quotes

# The colours and patterns of the design system, by their numbers (static/css/tokens.css).
TONES = (
    "Orange, solid",
    "Amber, long dashes",
    "Blue, two lines",
    "Purple, dashes",
    "Lilac, fine strokes",
    "Olive, dash and dot",
    "Green, rising strokes",
    "Teal, falling strokes",
    "Red, one line",
    "Rose, dots",
    "Brown, triangles",
    "Grey, wide dashes",
)
# What the keys of labelling words do already (keys.js below static/js/labelling/).
ACTION_KEYS = {
    "a": "Accept",
    "x": "Reject",
    "f": "Flag",
    "c": "Comment",
    ",": "Extend to the previous word",
    ".": "Extend to the next word",
    "-": "Remove the label",
    "k": "Next word",
    "j": "Previous word",
    "p": "Play or pause the sound",
    "y": "Play the sound from its start",
    "u": "Repeat the sound",
    "<": "One second back in the sound",
    ">": "One second forward in the sound",
    "h": "Guidelines",
    "?": "Keys",
    "s": "Take the suggestion",
    "l": "Take all strong suggestions",
}
# Shift and a digit stand for labels 11 to 20; these are what most keyboards type by them.
SHIFTED_DIGITS = frozenset("!@#$%^&*()")
MOST_LABELS = 40
LONGEST_NAME = 40
LONGEST_TITLE = 40
LONGEST_GUIDELINE = 1000
MOST_EXAMPLES = 10
LONGEST_EXAMPLE = 200
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*")
_MARKED = re.compile(r"\[[^\[\]]+\]")


@dataclass(frozen=True, slots=True)
class LabelFault:
    """What is wrong with a field of a label; ``place`` is its place in the scheme, from 0."""

    place: int
    field: str
    message: str


def label_faults(labels: Sequence[Label]) -> list[LabelFault]:
    """Everything that is wrong with the labels of a scheme, in their order; none: nothing."""
    faults = [
        LabelFault(place, field, message)
        for place, label in enumerate(labels)
        for field, message in _faults_of(label)
    ]
    for field, known_by in _UNIQUE.items():
        faults += _twice(labels, field, known_by)
    if len(labels) > MOST_LABELS:
        text = f"A scheme has at most {MOST_LABELS} labels, and this is number {len(labels)}."
        faults.append(LabelFault(len(labels) - 1, "name", f"{text} Leave some out."))
    return sorted(faults, key=lambda fault: (fault.place, _FIELDS.index(fault.field)))


_FIELDS = [field.name for field in fields(Label)]
_UNIQUE: dict[str, Callable[[Label], str]] = {
    "name": lambda label: label.slug,
    "title": lambda label: label.title.casefold(),
    "key": lambda label: label.key,
}


def _twice(
    labels: Sequence[Label], field: str, known_by: Callable[[Label], str]
) -> Iterator[LabelFault]:
    """What has a name, title or key that an earlier label has."""
    first: dict[str, Label] = {}
    for place, label in enumerate(labels):
        known = known_by(label)
        if known and known in first:
            value, other = in_quotes(str(getattr(label, field))), in_quotes(first[known].name)
            message = (
                f"{value} is too similar to that of {other}. Each label needs its own {field}."
            )
            if field == "key":
                title = in_quotes(label.title)
                message = (
                    f"{value} is already the key of {other}. Choose another for {title}, or none."
                )
            yield LabelFault(place, field, message)
        first.setdefault(known, label)


def _faults_of(label: Label) -> Iterator[tuple[str, str]]:
    yield from (("name", message) for message in _name_faults(label.name))
    yield from (("title", message) for message in _title_faults(label.title))
    yield from (("key", message) for message in _key_faults(label))
    if not 0 <= label.tone < len(TONES):
        last = len(TONES) - 1
        yield "tone", f"There is no colour {label.tone}. Choose a number from 0 to {last}."
    long = len(label.guideline)
    if long > LONGEST_GUIDELINE:
        yield (
            "guideline",
            f"The description has {long:,} characters. Shorten it to {LONGEST_GUIDELINE:,}.",
        )
    yield from (("examples", message) for message in _example_faults(label.examples))


def _name_faults(name: str) -> Iterator[str]:
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        yield (
            f"{in_quotes(name)} cannot be used as a name in files. Begin with a letter, use only "
            f"A to Z, digits, _, - and /, and at most {LONGEST_NAME} characters."
        )
    elif name == OUTSIDE:
        yield f"{in_quotes(name)} stands for words without a label. Choose another name."


def _title_faults(title: str) -> Iterator[str]:
    if not title:
        yield "Write the title that annotators see."
    elif len(title) > LONGEST_TITLE:
        yield f"The title has {len(title)} characters. Shorten it to {LONGEST_TITLE}."
    elif not title.isprintable():
        yield f"{in_quotes(title)} has an invisible character. Type it again."


def _key_faults(label: Label) -> Iterator[str]:
    key, title = label.key, in_quotes(label.title)
    if not key:
        return
    if len(key) > 1 or not key.isprintable() or key.isspace() or key != key.lower():
        yield (
            f"{in_quotes(key)} is not one character typed without shift. Choose one for {title}, "
            "or none."
        )
    elif key.isdigit() or key in SHIFTED_DIGITS:
        typed = "" if key.isdigit() else "is typed by shift and a digit, which "
        yield (
            f"{in_quotes(key)} {typed}stands for a label by its place already. Choose a letter for "
            f"{title}, or none."
        )
    elif key in ACTION_KEYS:
        act = in_quotes(ACTION_KEYS[key])
        yield (
            f"{in_quotes(key)} is the key of {act} on the labelling page. Choose another for "
            f"{title}, or none."
        )


def _example_faults(examples: Sequence[str]) -> Iterator[str]:
    if len(examples) > MOST_EXAMPLES:
        yield f"There are {len(examples)} examples. Keep at most {MOST_EXAMPLES}."
    for example in examples:
        if len(example) > LONGEST_EXAMPLE:
            short = in_quotes(f"{example[:40]}…")
            yield f"{short} has {len(example)} characters. Shorten it to {LONGEST_EXAMPLE}."
        elif not _MARKED.search(example):
            yield (
                f"{in_quotes(example)} marks no words. Put the words that have the label in "
                "brackets."
            )
