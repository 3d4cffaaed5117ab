"""Which systems and columns of a leaderboard an address asks for, and in which order."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from django.utils.http import urlencode

from earmark.packages.metadata_fields import characteristic_value
from leaderboard.selectors.board.columns import presets
from leaderboard.selectors.visibility.ranked_row import RankedRow

_SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9}
_NUMBER = re.compile(r"\s*([0-9][0-9,_ ]*(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,2})?)\s*([kmbg]?)", re.I)
_NOTHING = {"", "no", "none", "false", "n/a", "null", "~", "-"}


@dataclass(frozen=True, slots=True)
class Traits:
    """Characteristics by which systems are filtered; empty or None where they are not described."""

    encoder: str = ""
    decoder: str = ""
    parameters: float | None = None
    external: bool | None = None


def traits_of(metadata: Mapping[str, Any]) -> Traits:
    """Read the characteristics; numbers as people write them, too."""
    return Traits(
        encoder=_text(characteristic_value(metadata, "audio_modelling")),
        decoder=_text(characteristic_value(metadata, "word_modelling")),
        parameters=_number(characteristic_value(metadata, "total_parameters")),
        external=_says_something(characteristic_value(metadata, "external_datasets")),
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(inner) for inner in value)
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    return "" if isinstance(value, bool) or text.lower() in _NOTHING else text


def _number(value: object) -> float | None:
    """Read a count as people write it: 98000000, "98,000,000", "98M"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 <= value < 1e18 else None
    match = _NUMBER.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    digits = re.sub("[,_ ]", "", match[1])
    return float(digits) * _SUFFIXES[match[2].lower()] if len(digits) < 25 else None


def _says_something(value: object) -> bool | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip().lower() not in _NOTHING
    return bool(value)


External = Literal["", "yes", "no"]


@dataclass(frozen=True, slots=True)
class Sort:
    """By which column the rows stand, and whether turned round."""

    key: str = "rank"
    reverse: bool = False

    @classmethod
    def read(cls, text: str) -> "Sort":
        """Read ``metric`` or ``-metric``; unknown keys are for the caller to refuse."""
        key = text.removeprefix("-")
        return cls(key, text.startswith("-")) if key else cls()

    @property
    def text(self) -> str:
        """Write it as the address has it, empty for the usual order."""
        if self == Sort():
            return ""
        return f"-{self.key}" if self.reverse else self.key

    def by(self, key: str) -> "Sort":
        """The order that a click on a column asks for."""
        return Sort(key, reverse=key == self.key and not self.reverse)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which systems are shown: by words of their names and by what they are made of.

    ``smallest`` and ``largest`` are numbers of parameters in millions. A system of
    which nothing is said is shown only where nothing is asked.
    """

    q: str = ""
    encoder: str = ""
    decoder: str = ""
    smallest: float | None = None
    largest: float | None = None
    external: External = ""

    @property
    def by_traits(self) -> bool:
        """Whether what teams say of their systems is asked for."""
        return replace(self, q="") != Filters()

    @property
    def smallest_text(self) -> str:
        """Write the lower limit as it was typed."""
        return "" if self.smallest is None else f"{self.smallest:g}"

    @property
    def largest_text(self) -> str:
        """Write the upper limit as it was typed."""
        return "" if self.largest is None else f"{self.largest:g}"

    def pairs(self) -> list[tuple[str, str]]:
        """Write what is asked as names and values of an address."""
        written = {**asdict(self), "smallest": self.smallest_text, "largest": self.largest_text}
        return [(name, value) for name, value in written.items() if value]

    def shows(self, line: RankedRow) -> bool:
        """Whether a system is shown."""
        if self.q and not _has(f"{line.system_name} {line.team_name}", self.q):
            return False
        return not self.by_traits or self._fits(line)

    def _fits(self, line: RankedRow) -> bool:
        traits = traits_of(line.metadata)
        if self.smallest is not None or self.largest is not None:
            size = traits.parameters
            if size is None or not (
                (self.smallest is None or size >= self.smallest * 1e6)
                and (self.largest is None or size <= self.largest * 1e6)
            ):
                return False
        if self.external and traits.external is not (self.external == "yes"):
            return False
        return _has(traits.encoder, self.encoder) and _has(traits.decoder, self.decoder)


def _has(text: str, words: str) -> bool:
    """Whether every word is in a text."""
    folded = text.casefold()
    return all(word in folded for word in words.casefold().split())


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """All that an address says. ``columns`` None: those of the preset, else of the phase.

    ``as_visitor``: the reader sees no more than the public does.
    """

    every_system: bool = False
    columns: tuple[str, ...] | None = None
    preset: str = ""
    sort: Sort = Sort()
    own: bool = False
    filters: Filters = Filters()
    page: int = 1
    as_visitor: bool = False

    @property
    def narrowed(self) -> bool:
        """Whether some systems of the ranking may be left out."""
        return self.own or self.filters != Filters()

    @property
    def names(self) -> tuple[str, ...] | None:
        """The metrics asked for, of the visitor's choice or of a preset; None: the usual ones."""
        if self.columns is not None:
            return self.columns
        preset = presets().get(self.preset)
        return None if preset is None else preset.metrics

    @property
    def characteristics(self) -> bool:
        """Whether what teams say of their systems is shown."""
        preset = presets().get(self.preset)
        return self.columns is None and preset is not None and preset.characteristics

    def pairs(self) -> list[tuple[str, str]]:
        """Write all but the page as names and values of an address."""
        return [
            *([("systems", "all")] if self.every_system else []),
            *([("as", "visitor")] if self.as_visitor else []),
            *self.column_pairs(),
            *([("own", "1")] if self.own else []),
            *self.filters.pairs(),
            *([("sort", self.sort.text)] if self.sort.text else []),
        ]

    @property
    def everything(self) -> str:
        """Write the address of the same without any system left out."""
        return self.query(own=False, filters=Filters())

    @property
    def pairs_without_columns(self) -> list[tuple[str, str]]:
        """Write what a form for columns carries on."""
        return replace(self, columns=None, preset="").pairs()

    @property
    def pairs_without_filters(self) -> list[tuple[str, str]]:
        """Write what a form for systems carries on."""
        return replace(self, own=False, filters=Filters()).pairs()

    def column_pairs(self) -> list[tuple[str, str]]:
        """Write the choice of columns; none chosen is a choice, too."""
        if self.columns is not None:
            return [("columns", name) for name in self.columns or ("",)]
        return [("preset", self.preset)] if self.preset else []

    def query(self, **changes: Any) -> str:
        """Write the address of the same with some changes, on its first page unless given."""
        changed = replace(self, **{"page": 1, **changes})
        pages = [("page", str(changed.page))] if changed.page > 1 else []
        return urlencode([*changed.pairs(), *pages])
