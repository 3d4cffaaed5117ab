"""Labels as plain values."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.text import slugify


@dataclass(frozen=True, slots=True)
class Label:
    """One label of an inventory.

    ``name`` stands in files, ``title`` on pages. ``key`` is the unshifted key
    that applies it, ``tone`` the number of its colour and pattern (0 to 19).
    ``examples`` are captions with the labelled words in brackets.
    """

    name: str
    title: str
    key: str
    tone: int
    guideline: str
    examples: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The name as it can stand in an address: WHAT/WHERE has a slash."""
        return slugify(self.name.replace("/", "-"))

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {**asdict(self), "examples": list(self.examples)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Label":
        """Read what ``to_json`` wrote."""
        return cls(
            name=str(row["name"]),
            title=str(row["title"]),
            key=str(row["key"]),
            tone=int(row["tone"]),
            guideline=str(row["guideline"]),
            examples=tuple(map(str, row.get("examples", ()))),
        )
