"""What stands of a caption before anybody decides: what is settled, and what all agree on."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from annotation.selectors.adjudication.cases import Case
from annotation.spans import OUTSIDE, starts_of_words

# How a word came to its label, and a span to its edge.
AGREED, CHOSEN, SINGLE = "agreed", "chosen", "single"


Said = TypeVar("Said", str, bool)


@dataclass(frozen=True, slots=True)
class Standing(Generic[Said]):
    """The label of a word, or whether a span begins at it; how that came, and who chose it (id)."""

    said: Said
    how: str
    by: int | None = None


def standing_label(case: Case, word: int) -> Standing[str] | None:
    """The label of a word as it stands; None where people differ and nobody decided yet.

    What is settled stands as long as the annotations say of the word what they said then.
    """
    row = _stored(case, word)
    if case.gold is not None and _unchanged(row, case.votes_of_words[word]):
        how = str(row.get("how", AGREED))
        return Standing(case.gold.labels[word], how, row.get("by") if how == CHOSEN else None)
    if case.votes:
        agreed = word not in case.disputed
        return Standing(case.votes[0].labels[word], how_agreed(case)) if agreed else None
    # Nobody's answer counts any more: what was settled is all there is.
    return Standing(case.gold.labels[word] if case.gold else OUTSIDE, how_agreed(case))


def standing_edge(case: Case, word: int, label: str) -> Standing[bool] | None:
    """Whether a span begins at a word where it and the word before it have this label.

    None where people differ and nobody decided yet. Where nobody gave both words this
    label, they are one span.
    """
    settled = _settled_edge(case, word, label)
    if settled is not None:
        return settled
    votes = set(case.edge_votes(word, label).values())
    if len(votes) > 1:
        return None
    return Standing(votes == {True}, how_agreed(case))


def _settled_edge(case: Case, word: int, label: str) -> Standing[bool] | None:
    """What is settled of an edge, None where that is nothing or people have said other things."""
    gold = case.gold
    if gold is None or gold.labels[word - 1] != label or gold.labels[word] != label:
        return None
    stored: dict[str, Any] = _stored(case, word).get("edge", {})
    same = _unchanged(stored, case.edges_of_words[word])
    for near in (word - 1, word):
        same = same and _unchanged(_stored(case, near), case.votes_of_words[near])
    if not same:
        return None
    how = str(stored.get("how", how_agreed(case)))
    begins = starts_of_words(gold.spans, len(case.words))[word]
    return Standing(begins, how, stored.get("by"))


def is_chosen(standing: Standing[Said] | None) -> bool:
    """Whether a person chose it."""
    return standing is not None and standing.how == CHOSEN


def how_agreed(case: Case) -> str:
    """How a word came to its label where nobody chose."""
    return SINGLE if case.copies == 1 and len(case.votes) == 1 else AGREED


def _stored(case: Case, word: int) -> dict[str, Any]:
    rows: list[dict[str, Any]] = case.gold.provenance if case.gold else []
    return rows[word] if word < len(rows) else {}


def _unchanged(stored: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether annotations say what they said then; where that is not known, they do."""
    return bool(stored.get("votes", now) == now)
