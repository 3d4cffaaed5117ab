"""Single clips as the API gives them."""

from typing import Any

from ninja import Schema
from pydantic import Field


class ClipValue(Schema):
    """One clip with a metric's value; null where the metric says nothing."""

    number: int = Field(description="Place in the references, from 1.")
    file_name: str
    caption: str
    references: list[str]
    value: float | None


class ClipValues(Schema):
    """One metric of the clips asked for."""

    metric: str
    signature: str
    total: int = Field(description="Clips that were found, of which these are some.")
    clips: list[ClipValue]


class ClipScore(Schema):
    """A metric's value for one clip, beside that for the corpus."""

    value: float | None
    corpus: float | None
    signature: str = Field(description="Compare numbers only where signatures are equal.")


class ClipOut(Schema):
    """One clip with every metric's value and why it is so."""

    number: int = Field(description="Place in the references, from 1.")
    clips: int
    file_name: str
    caption: str
    references: list[str]
    metrics: dict[str, ClipScore]
    details: dict[str, dict[str, Any]] = Field(
        description="What each metric family found; its shape is the family's own."
    )
    notes: dict[str, str] = Field(description="Why a metric family has no details (yet).")
