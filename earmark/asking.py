"""Asking a language model: what is sent, and what may come back instead of an answer.

Nothing here reaches a network. Whoever runs a metric passes in a ``LanguageModel``, which alone
knows where the model is, what may be spent and how long to wait.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Literal, Protocol

from earmark.errors import ResourceMissing, ScoringError


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of a conversation: instructions, what is asked, or what the model answered."""

    role: Literal["system", "user", "assistant"]
    text: str


class LanguageModel(Protocol):
    """A language model that answers at temperature 0.

    ``name`` is the model's own name, which stands in signatures, and ``at_once`` the number of
    conversations that it takes at a time, 1 or more.
    """

    @property
    def name(self) -> str:
        """The model's own name."""
        ...

    @property
    def at_once(self) -> int:
        """How many conversations it takes at a time."""
        ...

    def answer(self, messages: Sequence[Message], stop: Event) -> str:
        """The text of its next turn; called from several threads.

        Raises ``QuestionRefused`` where this conversation has no answer, ``AskingEnded`` where
        none has any more. Once ``stop`` is set it waits no longer and raises ``AskingEnded``.
        """
        ...


class QuestionRefused(ScoringError):
    """The model does not answer this conversation; others may have answers."""


class AskingEnded(ScoringError):
    """Nothing more is sent: the budget is spent, the key is refused, the server is away."""


class LanguageModelMissing(ResourceMissing):
    """A metric that asks a language model was given none, or another one than it names."""
