"""A case as questions: what people differ on, what to correct, and what there is to choose from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from string import ascii_uppercase

from annotation.selectors.adjudication.cases import Case
from annotation.selectors.adjudication.standing import is_chosen, standing_edge, standing_label
from annotation.selectors.labels import LabelBook, LabelDisplay
from annotation.spans import OUTSIDE

OTHER = "other"
# What is said of an edge: the span goes on from the word before, or one begins at the word.
JOIN, BEGIN = "join", "begin"


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody may be asked to choose, with the letters of those who said so.

    That is a ``label``, or one span or two; ``key`` chooses it too.
    """

    value: str
    letters: str
    label: LabelDisplay | None = None
    title: str = ""
    key: str = ""

    @property
    def keys(self) -> list[str]:
        """The letters as keys, and the key of the choice itself."""
        return [*self.letters.lower(), *self.key]


@dataclass(frozen=True, slots=True)
class Question:
    """Words next to each other, from ``first`` to ``last``, for which a label is asked.

    ``chosen`` is the label that was chosen before or stands, "" for none. ``edge`` is whether
    a span begins at the first word, where that can be corrected beside the label.
    """

    first: int
    last: int
    text: str
    choices: tuple[Choice, ...]
    chosen: str = ""
    edge: bool | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether what was chosen is none of the choices."""
        return bool(self.chosen) and all(one.value != self.chosen for one in self.choices)

    @property
    def field(self) -> str:
        """The name of its field in a form."""
        return f"word-{self.first}"

    @property
    def other_field(self) -> str:
        """The name of the field in which another label is chosen."""
        return f"other-{self.first}"

    @property
    def edge_field(self) -> str:
        """The name of the field for whether a span begins at the first word."""
        return f"edge-{self.first}"


@dataclass(frozen=True, slots=True)
class EdgeQuestion:
    """Whether a word and the one before it are one span or two.

    ``required``: all call both words alike, so it needs an answer whatever else is chosen.
    """

    word: int
    text: str
    choices: tuple[Choice, ...]
    chosen: str
    required: bool

    @property
    def field(self) -> str:
        """The name of its field in a form."""
        return f"edge-{self.word}"


@dataclass(frozen=True, slots=True)
class Asking:
    """How a caption is asked for: word by word (``split``), or ``every`` word, to correct any."""

    split: bool = False
    every: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """What a form says: labels by word, and whether a span begins at a word."""

    choices: Mapping[int, str] = field(default_factory=dict)
    edges: Mapping[int, bool] = field(default_factory=dict)


def letters_of(case: Case) -> tuple[str, ...]:
    """Name those who voted by letters, which tell nothing of who they are."""
    return tuple(ascii_uppercase[: len(case.votes)])


def questions_of(
    case: Case, book: LabelBook, asking: Asking, draft: Given | None = None
) -> list[Question | EdgeQuestion]:
    """Ask for what people differ on and for what a person corrected; for every word where asked.

    Neighbours with the same votes are asked for together unless ``split``. ``draft`` is what
    was sent before; by default what stands is chosen.
    """
    labels = _standing_labels(case) | dict(draft.choices if draft else {})
    edges = _standing_edges(case, labels) | dict(draft.edges if draft else {})
    edge_words = _asked_edges(case)
    rows: list[tuple[int, int, Question | EdgeQuestion]] = []
    for first, last in _runs(case, labels, asking):
        beside = asking.every and first > 0 and first not in edge_words
        question = Question(
            first=first,
            last=last,
            text=" ".join(case.words[first : last + 1]),
            choices=_choices(case, first, book),
            chosen=labels.get(first, ""),
            edge=edges.get(first, False) if beside else None,
        )
        rows.append((first, 0, question))
    rows += [(word, 1, _edge_question(case, word, edges.get(word))) for word in edge_words]
    return [question for _, _, question in sorted(rows, key=lambda row: row[:2])]


def _standing_labels(case: Case) -> dict[int, str]:
    """The labels that are chosen where nobody chose yet: what stands, and what was decided."""
    labels = {}
    for word in range(len(case.words)):
        standing = standing_label(case, word)
        if standing is not None:
            labels[word] = standing.said
        elif case.gold is not None and case.decided:
            labels[word] = case.gold.labels[word]
    return labels


def _standing_edges(case: Case, labels: Mapping[int, str]) -> dict[int, bool]:
    """Whether a span begins at each word as it stands; nothing for those in dispute."""
    edges = {}
    for word in range(1, len(case.words)):
        known = labels.get(word - 1) == labels.get(word) is not None
        names = {labels[word]} if known else {vote.labels[word] for vote in case.votes}
        standing = [standing_edge(case, word, name) for name in names if name != OUTSIDE]
        if None not in standing:
            edges[word] = any(edge.said for edge in standing if edge is not None)
    return edges


def _asked_words(case: Case, asking: Asking) -> list[int]:
    words = range(len(case.words))
    if asking.every:
        return list(words)
    chosen = {word for word in words if is_chosen(standing_label(case, word))}
    return sorted(chosen | set(case.disputed))


def _asked_edges(case: Case) -> list[int]:
    """Where people differ on whether a span begins, and where a person decided it."""
    labels: list[str] = case.gold.labels if case.gold else []
    decided = {
        word
        for word in range(1, len(labels))
        if labels[word] != OUTSIDE
        and labels[word - 1] == labels[word]
        and is_chosen(standing_edge(case, word, labels[word]))
    }
    return sorted(decided | set(case.disputed_edges))


def _runs(case: Case, labels: Mapping[int, str], asking: Asking) -> list[tuple[int, int]]:
    """Put words together that have the same votes, and had the same choice."""
    words, edges = _asked_words(case, asking), _asked_edges(case)
    starts = []
    for at, word in enumerate(words):
        joined = (
            at > 0
            and _goes_on(case, words, word, asking)
            and word not in edges
            and labels.get(word) == labels.get(word - 1)
        )
        if not joined:
            starts.append(at)
    return [(words[start], words[end - 1]) for start, end in pairwise([*starts, len(words)])]


def _goes_on(case: Case, words: list[int], word: int, asking: Asking) -> bool:
    """Whether a word may be asked for together with the one before it."""
    if asking.split or asking.every or word - 1 not in words:
        return False
    return _votes(case, word) == _votes(case, word - 1)


def _votes(case: Case, number: int) -> list[str]:
    return [vote.labels[number] for vote in case.votes]


def _choices(case: Case, number: int, book: LabelBook) -> tuple[Choice, ...]:
    by_label: dict[str, str] = {}
    for letter, label in zip(letters_of(case), _votes(case, number), strict=True):
        by_label[label] = by_label.get(label, "") + letter
    return tuple(Choice(name, letters, book[name]) for name, letters in by_label.items())


def _edge_question(case: Case, word: int, begins: bool | None) -> EdgeQuestion:
    return EdgeQuestion(
        word=word,
        text=f"{case.words[word - 1]} | {case.words[word]}",
        choices=(
            Choice(JOIN, _drawn_so(case, word, begins=False), title="One span", key="+"),
            Choice(BEGIN, _drawn_so(case, word, begins=True), title="Two spans", key="/"),
        ),
        chosen="" if begins is None else (BEGIN if begins else JOIN),
        required=not {word - 1, word} & set(case.disputed),
    )


def _drawn_so(case: Case, word: int, *, begins: bool) -> str:
    """The letters of those who give both words one label and draw them so."""
    return "".join(
        letter
        for letter, vote in zip(letters_of(case), case.votes, strict=True)
        if case.edge_votes(word, vote.labels[word]).get(vote.annotation) is begins
    )


def other_labels(case: Case, book: LabelBook) -> list[LabelDisplay]:
    """Every label with the key that chooses it; Shift goes with those that letters take."""
    taken = {letter.lower() for letter in letters_of(case)}
    return [
        replace(label, key=label.key.upper() if label.key in taken else label.key)
        if label.name != OUTSIDE
        else replace(label, key="-")
        for label in book.values()
    ]


def given_in(data: Mapping[str, str], case: Case, asking: Asking) -> Given:
    """Read a form: the chosen labels, words for which nothing is chosen left out, and edges.

    Words that were asked for together have one field, that of the first of them.
    """
    choices: dict[int, str] = {}
    words = _asked_words(case, asking)
    for word in words:
        label = _label_in(data, word)
        if label is None and _goes_on(case, words, word, asking):
            label = choices.get(word - 1)
        if label:
            choices[word] = label
    return Given(choices, dict(_edges_in(data, case, asking)))


def _label_in(data: Mapping[str, str], word: int) -> str | None:
    """The label of a word, "" where nothing is chosen, None where the form does not ask for it.

    Where "another label" is chosen, or nothing but such a label, the second field counts.
    """
    choice, other = data.get(f"word-{word}"), data.get(f"other-{word}")
    if choice is None and other is None:
        return None
    return other or "" if choice in {None, "", OTHER} else choice


def _edges_in(data: Mapping[str, str], case: Case, asking: Asking) -> Iterable[tuple[int, bool]]:
    edge_words = _asked_edges(case)
    for word in range(1, len(case.words)):
        choice = data.get(f"edge-{word}")
        # Of a box that is not ticked a form says nothing.
        if choice in {JOIN, BEGIN} or (asking.every and word not in edge_words):
            yield word, choice == BEGIN
