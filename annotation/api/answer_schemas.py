"""What people say of captions."""

from datetime import datetime
from typing import Any
from unicodedata import category

from ninja import Schema
from pydantic import Field, field_validator

from annotation.models import Annotation, Answer, Item, SendBack


class SpanIn(Schema):
    """A run of words with one label."""

    token_start: int = Field(description="First word, from 0.")
    token_end: int = Field(description="Last word, inside.")
    label: str


class SpanOut(SpanIn):
    """A run of words with one label, and its characters."""

    start: int = Field(description="First code point.")
    end: int = Field(description="Code point after the last.")


class SuggestedSpan(SpanOut):
    """A run of words with the label that a labeller gives it."""

    confidence: float = Field(description="How sure the labeller is, over 0, at most 1.")


class SuggestionOut(Schema):
    """What a labeller says of a caption; no person has said it."""

    labeller: str = Field(description="Its name and the begin of its hash, as in signatures.")
    spans: list[SuggestedSpan]


class TakenSpan(SpanIn):
    """A span that was taken from a suggestion as it was."""

    labeller: str = Field(pattern=r"^[^\x00-\x1f\x7f]{1,80}$", description="Whose suggestion.")


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
    spans: list[SpanIn] = Field([], max_length=1000)
    value: dict[str, Any] | None = Field(
        None, description="The answer, where the project's work is another than labelling words."
    )
    answer: Answer = Answer.ACCEPT
    flagged: bool = False
    comment: str = Field("", max_length=2000)
    seconds: float | None = Field(None, ge=0, le=86400, description="Time spent on this change.")
    taken: list[TakenSpan] | None = Field(
        None,
        max_length=1000,
        description="Which of the spans were taken from a suggestion; others of them are "
        "forgotten. Null: those known before, as far as they still stand.",
    )

    scheme: str = Field(
        "",
        max_length=80,
        description='Which version of the labels these are, as "slug.number"; "": the present one.',
    )
    sent_back: int | None = Field(
        None,
        ge=1,
        le=2**63 - 1,
        description="The id of the sending back that this answers, as the annotation's "
        "`sent_back` says. Without it the change is kept, and the caption stays sent back.",
    )

    @field_validator("comment")
    @classmethod
    def no_controls(cls, value: str) -> str:
        """Leave out what nobody types and databases refuse: control characters but line ends."""
        return "".join(mark for mark in value if mark in "\n\t" or category(mark) != "Cc")


class RemovedOut(Schema):
    """That a manager removed a caption from the project; work on it is kept and does not count."""

    item: int
    by: str = Field(description='Who removed it; "" where that is not known any more.')
    at: datetime

    @classmethod
    def of(cls, item: Item) -> "RemovedOut | None":
        """Describe it; None where the caption is not removed."""
        if item.removed_at is None:
            return None
        by = "" if item.removed_by is None else item.removed_by.get_username()
        return cls(item=item.pk, by=by, at=item.removed_at)


class SentBackOut(Schema):
    """That a manager sent an answer back to its maker, to go through it again, or refused it."""

    id: int
    by: str = Field(description='Who did so; "" where that is not known any more.')
    at: datetime
    note: str = Field(description="Why.")

    @classmethod
    def of(cls, back: SendBack) -> "SentBackOut":
        """Describe it."""
        by = "" if back.by is None else back.by.get_username()
        return cls(id=back.pk, by=by, at=back.at, note=back.note)


class AnnotationOut(Schema):
    """An annotation as it is kept."""

    id: int
    version: int
    edit: str
    spans: list[SpanOut]
    value: dict[str, Any] | None = Field(
        None, description="The answer, where it is not given by spans."
    )
    answer: Answer
    flagged: bool
    comment: str
    taken: list[TakenSpan] = Field(description="The spans that were taken from a suggestion.")
    counts: bool = Field(
        description="False where others had taken all places of the caption, the project "
        "was closed, the caption was removed, or the answer was sent back or refused."
    )
    removed: RemovedOut | None = None
    sent_back: SentBackOut | None = Field(
        None, description="Set where it is to be gone through again; it counts then."
    )
    refused: SentBackOut | None = Field(
        None, description="Set where a manager refused it; it is kept and does not count."
    )
    updated_at: datetime

    @classmethod
    def of(cls, annotation: Annotation, item: Item) -> "AnnotationOut":
        """Describe the annotation of a caption."""
        removed, back, refused = RemovedOut.of(item), annotation.sent_back, annotation.refused
        return cls(
            id=annotation.pk,
            version=annotation.version,
            edit=annotation.edit,
            spans=[SpanOut(**span) for span in annotation.spans],
            value=annotation.value,
            answer=Answer(annotation.answer),
            flagged=annotation.flagged,
            comment=annotation.comment,
            taken=[TakenSpan(**span) for span in annotation.taken],
            counts=annotation.counts and removed is None,
            removed=removed,
            sent_back=None if back is None else SentBackOut.of(back),
            refused=None if refused is None else SentBackOut.of(refused),
            updated_at=annotation.updated_at,
        )


class VersionOut(Schema):
    """How an annotation stood after a change."""

    version: int
    edit: str
    spans: list[SpanOut]
    value: dict[str, Any] | None = None
    answer: Answer
    taken: list[TakenSpan] | None = Field(
        description="The spans that were taken from a suggestion; null where that was not kept."
    )
    saved_at: datetime


class VersionsOut(Schema):
    """How your annotation of a caption stood after each change, the first one first."""

    versions: list[VersionOut]
