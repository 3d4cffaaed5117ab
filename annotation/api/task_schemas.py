"""Captions at hand, and what is told beside them."""

from datetime import datetime
from typing import Annotated, Any
from unicodedata import category

from django.urls import reverse
from ninja import Schema
from pydantic import AfterValidator, Field, StringConstraints

from annotation.api.answer_schemas import AnnotationOut, RemovedOut, SuggestionOut, Token
from annotation.selectors.finished_work import FinishedWork


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

    @classmethod
    def of(cls, work: FinishedWork) -> "FinishedOut":
        """Describe it, with the address of the next project's page."""
        following = work.next_project
        return cls(
            captions=work.captions,
            words=work.words,
            seconds=work.seconds,
            next=None
            if following is None
            else NextProjectOut(
                slug=following.project.slug,
                name=following.project.name,
                left=following.left,
                page=reverse("annotation:label", args=[following.project.slug]),
            ),
        )


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
