"""Trying the metrics, as the API takes and gives it."""

from typing import Any

from ninja import Schema
from pydantic import Field

from leaderboard.api.schemas.errors import FaultOut
from leaderboard.services.trying.texts import MOST_CHARS, MOST_REFERENCES, MOST_WORDS


class TryIn(Schema):
    """One caption and what it is compared with."""

    caption: str = Field(
        description=f"At most {MOST_CHARS} characters and {MOST_WORDS} words.",
        examples=["A dog is barking"],
    )
    references: list[str] = Field(
        description=f"1 to {MOST_REFERENCES} captions of at most {MOST_CHARS} characters and "
        f"{MOST_WORDS} words; blank ones are left out.",
        examples=[["A dog barks twice", "A small dog barks outside"]],
    )


class TryScore(Schema):
    """A metric's value of the caption; null where it says nothing of it."""

    value: float | None
    signature: str = Field(description="Compare numbers only where signatures are equal.")


class TryOut(Schema):
    """Every metric of one caption and why it is so."""

    caption: str
    references: list[str]
    documents: str = Field(description="The corpus over which it is counted how rare a word is.")
    metrics: dict[str, TryScore]
    details: dict[str, dict[str, Any]] = Field(
        description="What each metric family found; its shape is the family's own."
    )
    unavailable: dict[str, str] = Field(
        description="Why a metric family could not be computed; the others stand."
    )
    warnings: list[FaultOut] = Field(description="What may surprise in the texts.")
