"""Parts of a split: names, shares and sizes, as they are asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from earmark.captions import Fault
from earmark.captions.faults import count_of

OPTION = "--parts"
_EXAMPLE = "development=.6,validation=.2,evaluation=.2"
# What some file system does not take, and what a shell or an option could mistake.
_FILE_NAME = re.compile(r"(?![\s.-])[^\x00-\x1f\x7f/\\:*?\"<>|]{1,100}(?<![\s.])")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a split; ``share`` of all clips, above 0 and below 1."""

    name: str
    share: Fraction


@dataclass(frozen=True, slots=True)
class PartsRead:
    """Parts in the order given, and what is wrong with them."""

    parts: tuple[Part, ...]
    faults: tuple[Fault, ...]


def read_parts(text: str) -> PartsRead:
    """Read parts written as NAME=SHARE with commas between them; shares add up to 1 exactly.

    A share is a decimal or a fraction, such as .6 or 3/5.
    """
    faults: list[Fault] = []
    parts: list[Part] = []
    items = [item for item in text.split(",") if item.strip()]
    for item in items:
        name, _, written = (piece.strip() for piece in item.partition("="))
        share = _share(written)
        faults += _item_faults(item.strip(), name, share)
        parts += [] if share is None else [Part(name, share)]
    faults += _list_faults(parts, complete=len(parts) == len(items))
    return PartsRead(tuple(parts), tuple(faults))


def _share(written: str) -> Fraction | None:
    try:
        return Fraction(written)
    except (ValueError, ZeroDivisionError):
        return None


def _item_faults(item: str, name: str, share: Fraction | None) -> list[Fault]:
    faults = []
    if share is None:
        faults.append(_fault(item, f"This is not a part. Write NAME=SHARE, as in {_EXAMPLE}."))
    elif not 0 < share < 1:
        faults.append(_fault(item, "A share must be above 0 and below 1."))
    if not _FILE_NAME.fullmatch(name):
        faults.append(
            _fault(
                item,
                "The name of a part is the name of its file. Use letters, digits, - and _,"
                " and begin with a letter or a digit.",
            )
        )
    return faults


def _list_faults(parts: Sequence[Part], *, complete: bool) -> list[Fault]:
    faults = []
    seen: set[str] = set()
    for part in parts:
        if part.name.casefold() in seen:
            faults.append(_fault(part.name, "Two parts have this name. Rename one of them."))
        seen.add(part.name.casefold())
    total = sum((part.share for part in parts), Fraction())
    if complete and len(parts) < 2:
        faults.append(_fault("", f"A split needs at least two parts, as in {_EXAMPLE}."))
    elif complete and total != 1:
        shares = " + ".join(_shown(part.share) for part in parts)
        faults.append(
            _fault(
                f"{shares} = {_shown(total)}", "The shares must add up to 1. Change one of them."
            )
        )
    return faults


def _shown(share: Fraction) -> str:
    """A share as a decimal where that is exact, else as a fraction."""
    decimal = f"{float(share):.12g}"
    return decimal if Fraction(decimal) == share else str(share)


def _fault(value: str, message: str) -> Fault:
    return Fault(None, None, value, message, file=OPTION)


def size_faults(parts: Sequence[Part], clips: int) -> list[Fault]:
    """Faults of parts that would have no clip."""
    if clips < len(parts):
        message = (
            f"There are {count_of(clips, 'clip')} for {len(parts)} parts. Give more files or"
            " fewer parts."
        )
        return [_fault(str(clips), message)]
    return [
        _fault(
            part.name,
            f"This part would have no clip: {_shown(part.share)} of {clips:,}. Raise its share.",
        )
        for part, size in zip(parts, part_sizes(parts, clips), strict=True)
        if size == 0
    ]


def part_sizes(parts: Sequence[Part], clips: int) -> tuple[int, ...]:
    """Clips of each part: shares rounded so that they add up, the largest remainders up.

    Of equal remainders the part that is named first is rounded up. Shares add up to 1.
    """
    exact = [part.share * clips for part in parts]
    sizes = [int(size) for size in exact]
    by_remainder = sorted(range(len(parts)), key=lambda at: (sizes[at] - exact[at], at))
    for at in by_remainder[: clips - sum(sizes)]:
        sizes[at] += 1
    return tuple(sizes)


def development_part(parts: Sequence[Part]) -> int:
    """Place of the development part: the one with the largest share, of equal ones the first."""
    return max(range(len(parts)), key=lambda at: (parts[at].share, -at))
