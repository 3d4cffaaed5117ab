"""Which sound descriptors captions have, as the API gives it: the numbers of the page."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any

from ninja import Schema
from pydantic import BeforeValidator, Field

from leaderboard.api.schemas.analysis import SystemRef
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
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
    low: Annotated[float | None, BeforeValidator(lambda ends: ends and ends.low)] = Field(
        validation_alias="interval", description="Lower end of the 95 % interval of the difference."
    )
    high: Annotated[float | None, BeforeValidator(lambda ends: ends and ends.high)] = Field(
        validation_alias="interval", description="Upper end of the 95 % interval of the difference."
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
    sets: Sequence[CaptionSet], against: CaptionSet | None, without: Sequence[AnySubmission]
) -> WordsOut:
    """Describe sets beside one another."""
    found: list[dict[str, Any]] = []
    if against is not None:
        tables = {measure: rows_of(sets, measure, against) for measure in MEASURES}
        found = [_set(one, place, tables) for place, one in enumerate(sets)]
    name = "" if against is None else against.name
    return WordsOut.model_validate({"against": name, "sets": found, "without": without})


def _set(one: CaptionSet, place: int, tables: dict[Measure, list[DescriptorRow]]) -> dict[str, Any]:
    cells: dict[str, dict[str, DescriptorShare]] = defaultdict(dict)
    for measure, rows in tables.items():
        for row in rows:
            cells[row.label][measure] = row.cells[place]
    return {
        "system": one.system,
        "name": one.name,
        "labeller": one.labeller,
        "captions": one.counts.captions,
        "words": one.counts.words,
        "spans": one.counts.spans,
        "descriptors": [
            {
                "descriptor": row.label,
                **cells[row.label],
                "texts": list(one.counts.label(row.label).texts.values())[:MOST_TEXTS],
            }
            for row in tables["captions"]
        ],
    }
