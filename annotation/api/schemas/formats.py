"""Files of captions and labels, in and out."""

from typing import Literal

from ninja import Schema
from pydantic import Field


class ExportChoice(Schema):
    """Which file."""

    format: Literal["prodigy", "bio", "docbin", "hf"] = "prodigy"
    who: str = Field(
        "all", max_length=80, description='"all", "gold" for what is settled, or a member\'s name.'
    )
    answer: Literal["accept", "reject", "ignore", "any"] | None = Field(
        None, description="Default: any for prodigy, accept for the other formats."
    )


class ImportIn(Schema):
    """How a file is read."""

    map_from: str = Field(
        "",
        max_length=50,
        description="Scheme of the file's labels, where they are to become the project's.",
    )


class SkippedOut(Schema):
    """A line that was left out."""

    line: int = Field(description="Line of the file, from 1.")
    value: str = Field(description="What was found, made printable and cut.")
    why: str
    fix: str = Field(description="What to do about it.")


class ImportOut(Schema):
    """What an import did."""

    captions: int = Field(description="Captions that were added.")
    annotations: int = Field(description="Annotations that were added.")
    unchanged: int = Field(description="Records that were there already.")
    to_settle: int = Field(description="Annotations flagged since a label has several equivalents.")
    left_out: int = Field(description="Records that were not taken.")
    people: list[str] = Field(description="Members without a log-in that were made for sessions.")
    skipped: list[SkippedOut] = Field(description="The first 500 records that were left out.")
