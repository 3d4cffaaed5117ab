"""Which sound descriptors captions have, as the API gives it: the numbers of the page."""

from collections.abc import Sequence
from dataclasses import astuple

from ninja import Schema
from pydantic import Field

from leaderboard.api.schemas.analysis import SystemRef, system_ref
from leaderboard.selectors.words.counts import MEASURES, Measure
from leaderboard.selectors.words.reading import CaptionSet
from leaderboard.selectors.words.table import MOST_TEXTS, DescriptorRow, DescriptorShare, rows_of


class CountOut(Schema):
    """One count of a descriptor in a set of captions."""

    count: int
    share: float | None = Field(description="Of all captions, words or spans of the set, 0 to 1.")
    difference: float | None = Field(
        description="Share less that of the set compared with, -1 to 1; null for that set "
        "itself, and where another labeller labelled it."
    )
    low: float | None = Field(description="Lower end of the 95 % interval of the difference.")
    high: float | None = Field(description="Upper end of the 95 % interval of the difference.")

    @classmethod
    def of(cls, cell: DescriptorShare) -> "CountOut":
        """Describe a cell of the page's table."""
        low, high = (None, None) if cell.interval is None else astuple(cell.interval)
        return cls(
            count=cell.count, share=cell.share, difference=cell.difference, low=low, high=high
        )


class TextOut(Schema):
    """A text of spans with one descriptor."""

    text: str
    spans: int
    clips: list[int] = Field(description="Numbers of clips that have it, at most three.")


class DescriptorOut(Schema):
    """One descriptor in a set of captions."""

    descriptor: str
    captions: CountOut = Field(description="Captions that have it.")
    words: CountOut
    spans: CountOut
    texts: list[TextOut] = Field(description="The most frequent texts of its spans.")


class CaptionSetOut(Schema):
    """A set of captions with its descriptors."""

    system: SystemRef | None = Field(description="Null: the references.")
    name: str
    labeller: str = Field(description="Who labelled the words, as in signatures of ACES.")
    captions: int
    words: int
    spans: int
    descriptors: list[DescriptorOut]


class WordsOut(Schema):
    """Descriptors of sets of captions; ``against`` is the name of the set compared with."""

    against: str
    sets: list[CaptionSetOut]
    without: list[SystemRef] = Field(description="Systems of which no labels are stored.")


def words_out(
    sets: Sequence[CaptionSet], against: CaptionSet | None, without: list[SystemRef]
) -> WordsOut:
    """Describe sets beside one another."""
    if against is None:
        return WordsOut(against="", sets=[], without=without)
    tables = {measure: rows_of(sets, measure, against) for measure in MEASURES}
    return WordsOut(
        against=against.name,
        sets=[_set(one, place, tables) for place, one in enumerate(sets)],
        without=without,
    )


def _set(one: CaptionSet, place: int, tables: dict[Measure, list[DescriptorRow]]) -> CaptionSetOut:
    cells = {
        measure: {row.label: row.cells[place] for row in rows} for measure, rows in tables.items()
    }
    return CaptionSetOut(
        system=None if one.system is None else system_ref(one.system),
        name=one.name,
        labeller=one.labeller,
        captions=one.counts.captions,
        words=one.counts.words,
        spans=one.counts.spans,
        descriptors=[
            DescriptorOut(
                descriptor=row.label,
                captions=CountOut.of(cells["captions"][row.label]),
                words=CountOut.of(cells["words"][row.label]),
                spans=CountOut.of(cells["spans"][row.label]),
                texts=[
                    TextOut.from_orm(text)
                    for text in list(one.counts.label(row.label).texts.values())[:MOST_TEXTS]
                ],
            )
            for row in tables["captions"]
        ],
    )
