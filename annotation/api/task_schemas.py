"""Captions at hand and what a person says of them."""

from datetime import datetime
from typing import Annotated, Any
from unicodedata import category

from ninja import Schema
from pydantic import AfterValidator, Field, StringConstraints, field_validator

from annotation.models import Annotation, Answer, Item
from annotation.selectors.suggestions import SuggestedLabels


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
    spans: list[SpanIn] = Field(max_length=1000)
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
    taken: list[TakenSpan] = Field(description="The spans that were taken from a suggestion.")
    counts: bool = Field(description="False where others had taken all places of the caption.")
    updated_at: datetime


class VersionOut(Schema):
    """How an annotation stood after a change."""

    version: int
    edit: str
    spans: list[SpanOut]
    answer: Answer
    taken: list[TakenSpan] | None = Field(
        description="The spans that were taken from a suggestion; null where that was not kept."
    )
    saved_at: datetime


class VersionsOut(Schema):
    """How your annotation of a caption stood after each change, the first one first."""

    versions: list[VersionOut]


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
    suggestion: SuggestionOut | None = Field(
        None, description="Never on captions that measure agreement."
    )

    @classmethod
    def of(
        cls,
        item: Item,
        annotation: Annotation | None = None,
        *,
        held_until: datetime | None = None,
        audio: str | None = None,
        suggested: SuggestedLabels | None = None,
    ) -> "TaskOut":
        """Describe a caption; ``audio`` is the address of its sound on this site.

        ``suggested`` comes from ``suggestions_of``, which knows what has none.
        """
        tokens: list[dict[str, Any]] = item.tokens
        return cls(
            id=item.pk,
            position=item.position,
            text=item.text,
            tokens=[Token(**token) for token in tokens],
            meta=item.meta if audio is None else {**item.meta, "audio": audio},
            measures_agreement=item.measures_agreement,
            held_until=held_until,
            annotation=None if annotation is None else AnnotationOut.from_orm(annotation),
            suggestion=None if suggested is None else SuggestionOut.from_orm(suggested),
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
    now: datetime = Field(description="The server's time, by which `held_until` is meant.")


class HistoryOut(Schema):
    """Own answers, latest first; ``next`` is what to give as ``before`` for earlier ones."""

    tasks: list[TaskOut]
    next: int | None


class OutdatedOut(Schema):
    """The caption was changed elsewhere since."""

    detail: str
    current: AnnotationOut


def _visible(key: str) -> str:
    """Refuse what no key types, or what Earmark itself gives to labels in their order."""
    if category(key) in {"Cc", "Cf", "Cs", "Co", "Cn"}:
        raise ValueError("A key is a character that can be seen, or space.")
    if key.isdigit():
        raise ValueError("Digits belong to the labels in their order. Choose another key.")
    return key


Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,100}$")]
Key = Annotated[str, StringConstraints(min_length=1, max_length=1), AfterValidator(_visible)]


class KeysOut(Schema):
    """The keys that you changed for the scheme of a project, on whatever machine."""

    keys: dict[str, str] = Field(
        description='By what they do: a command such as "accept", or "label:" and its name.'
    )


class KeysIn(Schema):
    """All keys that differ from those of the scheme; none brings those back."""

    keys: dict[Name, Key | Annotated[str, StringConstraints(max_length=0)]] = Field(
        max_length=200, description='By what they do; "" for none.'
    )
