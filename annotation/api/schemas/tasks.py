"""Captions at hand and what a person says of them."""

from datetime import datetime
from typing import Any, TypeVar
from unicodedata import category

from ninja import Schema
from pydantic import Field, field_validator

from annotation.models import Annotation, Answer, Item

S = TypeVar("S", bound=Schema)


def _picked(schema: type[S], row: dict[str, Any]) -> S:
    """Take of a stored row what the schema has; files may have told more of it."""
    return schema(**{name: row[name] for name in schema.model_fields})


class SpanIn(Schema):
    """A run of words with one label."""

    token_start: int = Field(description="First word, from 0.")
    token_end: int = Field(description="Last word, inside.")
    label: str


class SpanOut(SpanIn):
    """A run of words with one label, and its characters."""

    start: int = Field(description="First code point.")
    end: int = Field(description="Code point after the last.")


class Token(Schema):
    """A word of a caption."""

    text: str
    start: int
    end: int
    id: int
    ws: bool = Field(description="Whether white space follows.")


class ChangeIn(Schema):
    """What a person says of a caption."""

    edit: str = Field(
        pattern="^[A-Za-z0-9_-]{8,40}$",
        description="Your own name of this change; sent again, it changes nothing.",
    )
    base: int = Field(ge=0, description="The version that it was made on; 0: none.")
    spans: list[SpanIn] = Field(max_length=1000)
    answer: Answer = Answer.ACCEPT
    flagged: bool = False
    comment: str = Field("", max_length=2000)
    seconds: float | None = Field(None, ge=0, le=86400, description="Time spent on this change.")

    @field_validator("comment")
    @classmethod
    def no_controls(cls, value: str) -> str:
        """Leave out what nobody types and databases refuse: control characters but line ends."""
        return "".join(mark for mark in value if mark in "\n\t" or category(mark) != "Cc")


class AnnotationOut(Schema):
    """An annotation as it is kept."""

    id: int
    version: int
    edit: str
    spans: list[SpanOut]
    answer: Answer
    flagged: bool
    comment: str
    counts: bool = Field(description="False where others had taken all places of the caption.")
    updated_at: datetime

    @classmethod
    def of(cls, row: Annotation) -> "AnnotationOut":
        """Describe an annotation."""
        spans: list[dict[str, Any]] = row.spans
        return cls(
            id=row.pk,
            version=row.version,
            edit=row.edit,
            spans=[_picked(SpanOut, span) for span in spans],
            answer=Answer(row.answer),
            flagged=row.flagged,
            comment=row.comment,
            counts=row.counts,
            updated_at=row.updated_at,
        )


class TaskOut(Schema):
    """A caption, with the asker's annotation where there is one."""

    id: int
    position: int
    text: str
    tokens: list[Token]
    meta: dict[str, Any]
    measures_agreement: bool
    held_until: datetime | None = None
    annotation: AnnotationOut | None = None

    @classmethod
    def of(
        cls,
        item: Item,
        annotation: Annotation | None = None,
        *,
        held_until: datetime | None = None,
    ) -> "TaskOut":
        """Describe a caption."""
        tokens: list[dict[str, Any]] = item.tokens
        return cls(
            id=item.pk,
            position=item.position,
            text=item.text,
            tokens=[_picked(Token, token) for token in tokens],
            meta=item.meta,
            measures_agreement=item.measures_agreement,
            held_until=held_until,
            annotation=None if annotation is None else AnnotationOut.of(annotation),
        )


class TasksIn(Schema):
    """How many captions to have at hand."""

    count: int = Field(6, ge=1, le=12)


class OwnOut(Schema):
    """The asker's work in a project."""

    answered: int
    today: int
    left: int = Field(description="Captions that could still come.")
    per_hour: float | None = Field(description="Pace of this sitting; null at its begin.")
    against_gold: float | None = Field(
        description="Share of words labelled as settled, by what you had said by then, in whole "
        "per cent; null before 20 captions are settled."
    )
    gold_words: int


class TasksOut(Schema):
    """The captions at hand, in their order; none: everything is done or with others."""

    tasks: list[TaskOut]
    own: OwnOut


class HistoryOut(Schema):
    """Own answers, latest first; ``next`` is what to give as ``before`` for earlier ones."""

    tasks: list[TaskOut]
    next: int | None


class OutdatedOut(Schema):
    """The caption was changed elsewhere since."""

    detail: str
    current: AnnotationOut
