"""What people say of captions, captions at hand, and what is told beside them."""

from datetime import datetime
from typing import Annotated, Any
from unicodedata import category

from ninja import Schema
from pydantic import AfterValidator, Field, StringConstraints, field_validator

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

    @staticmethod
    def resolve_by(back: "SendBack | SentBackOut") -> str:
        """The user name."""
        return str(back.by or "")


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
        out = cls.from_orm(annotation)
        out.removed = RemovedOut.of(item)
        out.counts = annotation.counts and out.removed is None
        return out


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


class TaskOut(Schema):
    """A caption or other item, with the asker's annotation where there is one."""

    id: int
    position: int
    text: str
    tokens: list[Token]
    meta: dict[str, Any]
    content: dict[str, Any] = Field(description="What else the kind of work shows of it.")
    measures_agreement: bool
    held_until: datetime | None = None
    removed: RemovedOut | None = None
    annotation: AnnotationOut | None = None
    suggestion: SuggestionOut | None = Field(
        None, description="Never on captions that measure agreement."
    )


class TasksIn(Schema):
    """How many captions to have at hand."""

    count: int = Field(6, ge=1, le=12)


class ClosedOut(Schema):
    """That a project is closed, and what becomes of the work in hand."""

    by: str = Field(description='Who closed it; "" where that is not known any more.')
    at: datetime | None
    detail: str


class NextProjectOut(Schema):
    """Another open project with captions for the asker."""

    slug: str
    name: str
    left: int
    page: str = Field(description="The address of its labelling page.")


class FinishedOut(Schema):
    """The asker's answers in a project that count, and where to go on."""

    captions: int
    words: int = Field(description="All words of these captions.")
    seconds: float = Field(description="How long the captions were before you.")
    next: NextProjectOut | None


class LabelsOut(Schema):
    """Which labels a project has."""

    scheme: str = Field(description='The version, as "slug.number".')
    by: str = Field(description='Who made it; "" where that is not known any more.')
    at: datetime


class GuidelinesNewsOut(Schema):
    """A version of the guidelines that the asker has not read."""

    number: int
    by: str = Field(description='Who wrote it; "" where that is not known.')
    at: datetime
    what: str = Field(description="In short, what changed since the asker last read them.")


class OwnOut(Schema):
    """The asker's work in a project."""

    closed: ClosedOut | None = Field(description="Null while captions are handed out.")
    labels: LabelsOut = Field(description="A page with others says so.")
    guidelines: GuidelinesNewsOut | None = Field(
        description="The newest version, where you have not read it; else null."
    )
    answered: int = Field(description="Answers that count.")
    today: int = Field(description="Those of them that were first given today.")
    uncounted: int = Field(
        description="Answers that are kept beside: the project was closed, or others had taken "
        "all places of the caption."
    )
    must_qualify: bool = Field(
        description="Whether nothing is handed out before the qualification is passed."
    )
    left: int = Field(description="Captions that could still come; 0 in a closed project.")
    per_hour: float | None = Field(description="Pace of this sitting; null at its begin.")
    against_gold: float | None = Field(
        description="Share of words labelled as settled, by what you had said by then, in whole "
        "per cent; null before 20 captions are settled."
    )
    gold_words: int
    removed: list[RemovedOut] = Field(
        description="Captions that you hold and that were removed: they need no answer."
    )
    finished: FinishedOut | None = Field(
        description="Totals, where an open project has no captions left for you; else null."
    )


class TasksOut(Schema):
    """The captions at hand, in their order.

    None: everything is done or with others, or the project is closed, as ``own`` says.
    """

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
