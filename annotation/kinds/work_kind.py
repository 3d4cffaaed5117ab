"""What a kind of work says of itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Value = Mapping[str, Any]


class AnswerFault(ValueError):
    """An answer that cannot be taken; the text says why and what to do."""


class ItemFields(Protocol):
    """What a kind reads of an item."""

    key: str
    position: int
    text: str
    tokens: Any
    meta: Any
    content: Any


@dataclass(frozen=True, slots=True)
class ShownItem:
    """What whoever answers sees of an item. ``text`` is what it is called and read out as."""

    text: str
    tokens: Sequence[Mapping[str, Any]] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkTask:
    """An item before ``user`` (an id); ``options`` are those of the project, checked.

    ``has_sound`` finds out whether the item can be heard on this site.
    """

    item: ItemFields
    user: int
    options: Value
    has_sound: Callable[[], bool] = lambda: True


SOUNDS_PAGE = "sounds"


class WorkKind(ABC):
    """A kind of work, as its folder describes it.

    ``name`` stands in the database and in addresses of scripts. ``title`` and ``summary`` are
    for people who choose a kind, ``act`` is the link to the page of work, ``items`` names the
    items in the plural. ``option_labels`` names what can be set, all of it whole numbers.
    ``people`` answer each item unless a project says otherwise. ``sources`` names the kinds whose
    answers can become its items (none: its items are brought), the usual one first.
    ``has_labels`` is true of label words alone, whose answers are spans. Where ``checks_text``,
    a text is looked at while it is written (``selectors.text_findings``). ``widest`` are the
    options under which every answer that a project may ever have taken is.

    ``option_choices`` say, by the name of an option, what it may be set to where that is no number
    to type: each value with its title. ``items_page`` is the address on which items come in.
    """

    name: str
    title: str
    summary: str
    act: str
    items: str
    people: int
    option_labels: Mapping[str, str] = {}
    option_choices: Mapping[str, Mapping[int, str]] = {}
    sources: tuple[str, ...] = ()
    has_labels = False
    checks_text = False
    widest: Value = {}
    items_page = SOUNDS_PAGE

    def content(self, stored: Value) -> dict[str, Any]:
        """What there is of an item besides its text and meta, as a file brings it.

        Raises ``AnswerFault`` for what no item of the kind has.
        """
        if stored:
            raise AnswerFault("An item of this kind of work has no content.")
        return {}

    @abstractmethod
    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """What ``user`` (an id) is shown of an item; everything else is kept from them."""

    @abstractmethod
    def options(self, stored: Value) -> Value:
        """What can be set of the kind, every option with its value or default.

        Raises ``AnswerFault`` for a value that is not allowed.
        """

    @abstractmethod
    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """An answer to a task as it is stored; raises ``AnswerFault``.

        What is skipped or rejected need not be ``complete``.
        """

    @abstractmethod
    def said(self, value: Value) -> str:
        """An answer in one line, for lists and histories."""

    def said_as_shown(self, value: Value, shown: ShownItem) -> str:
        """An answer in one line for who gave it, who may see items in another order than others."""
        return self.said(value)
