"""A case as questions: which words are in dispute, and what there is to choose from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from string import ascii_uppercase

from annotation.selectors.adjudication.cases import Case
from annotation.selectors.labels import LabelBook, LabelDisplay
from annotation.spans import OUTSIDE


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """A label that someone gave, with the letters of those who did; each of ``keys`` chooses it."""

    label: LabelDisplay
    letters: str

    @property
    def keys(self) -> list[str]:
        """The letters as keys."""
        return list(self.letters.lower())


@dataclass(frozen=True, slots=True)
class Question:
    """Words next to each other, from ``first`` to ``last``, on which people differ alike.

    ``chosen`` is the label that was chosen before, "" for none; ``elsewhere``
    tells that it is a label that nobody gave.
    """

    first: int
    last: int
    text: str
    choices: tuple[LabelChoice, ...]
    chosen: str = ""

    @property
    def elsewhere(self) -> bool:
        """Whether what was chosen is none of the choices."""
        return bool(self.chosen) and all(
            choice.label.name != self.chosen for choice in self.choices
        )

    @property
    def field(self) -> str:
        """The name of its field in a form."""
        return f"word-{self.first}"

    @property
    def other_field(self) -> str:
        """The name of the field in which another label is chosen."""
        return f"other-{self.first}"


def letters_of(case: Case) -> tuple[str, ...]:
    """Name those who voted by letters, which tell nothing of who they are."""
    return tuple(ascii_uppercase[: len(case.votes)])


def questions_of(
    case: Case, book: LabelBook, *, split: bool = False, chosen: Mapping[int, str] | None = None
) -> list[Question]:
    """Ask for the words in dispute; neighbours with the same votes together unless ``split``.

    ``chosen`` has the label chosen before by word; by default what is settled.
    """
    before = _settled(case) if chosen is None else chosen
    return [
        Question(
            first=first,
            last=last,
            text=" ".join(case.words[first : last + 1]),
            choices=_choices(case, first, book),
            chosen=before.get(first, ""),
        )
        for first, last in _runs(case, before, split=split)
    ]


def _settled(case: Case) -> dict[int, str]:
    if case.gold is None or not case.decided:
        return {}
    labels: list[str] = case.gold.labels
    return dict(enumerate(labels))


def _runs(case: Case, before: Mapping[int, str], *, split: bool) -> list[tuple[int, int]]:
    """Put words together that have the same votes, and had the same choice."""
    starts = []
    for at, number in enumerate(case.disputed):
        joined = (
            at > 0
            and not split
            and case.disputed[at - 1] == number - 1
            and _votes(case, number) == _votes(case, number - 1)
            and before.get(number) == before.get(number - 1)
        )
        if not joined:
            starts.append(at)
    return [
        (case.disputed[start], case.disputed[end - 1])
        for start, end in pairwise([*starts, len(case.disputed)])
    ]


def _votes(case: Case, number: int) -> list[str]:
    return [vote.labels[number] for vote in case.votes]


def _choices(case: Case, number: int, book: LabelBook) -> tuple[LabelChoice, ...]:
    by_label: dict[str, str] = {}
    for letter, label in zip(letters_of(case), _votes(case, number), strict=True):
        by_label[label] = by_label.get(label, "") + letter
    return tuple(LabelChoice(book[label], letters) for label, letters in by_label.items())


def other_labels(case: Case, book: LabelBook) -> list[LabelDisplay]:
    """Every label with the key that chooses it; Shift goes with those that letters take."""
    taken = {letter.lower() for letter in letters_of(case)}
    return [
        replace(label, key=label.key.upper() if label.key in taken else label.key)
        if label.name != OUTSIDE
        else replace(label, key="-")
        for label in book.values()
    ]


OTHER = "other"


def choices_in(data: Mapping[str, str], questions: Iterable[Question]) -> dict[int, str]:
    """Read the chosen label of every word; words for which nothing is chosen are left out.

    Where "another label" is chosen, or nothing but such a label, the second field counts.
    """
    choices: dict[int, str] = {}
    for question in questions:
        label = data.get(question.field, "")
        if label in {"", OTHER}:
            label = data.get(question.other_field, "")
        if label:
            choices |= dict.fromkeys(range(question.first, question.last + 1), label)
    return choices
