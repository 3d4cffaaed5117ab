"""Statistics of captions beside those of published data sets: a table and figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    line,
    plain,
)
from leaderboard.selectors.figures.rows_of_bars import BarRow, bars_in_rows, rows_layout
from scoring.datasets.describing import published_sets

Figures = Mapping[str, Any]
_SAMPLES = (1_000, 5_000)


@dataclass(frozen=True, slots=True)
class StatisticsRow:
    """A figure of the set and of each published one; ``indented`` belongs to the row above."""

    label: str
    cells: tuple[str, ...]
    indented: bool = False


@dataclass(frozen=True, slots=True)
class CaptionStatistics:
    """Statistics of a set; ``columns`` names it and the published ones beside it."""

    columns: tuple[str, ...]
    rows: tuple[StatisticsRow, ...]
    figures: tuple[Figure, ...]
    frequent: tuple[tuple[str, int], ...]


def caption_statistics(own: Figures) -> CaptionStatistics:
    """Statistics of a set of captions, whose figures are as ``described_json`` has them."""
    sets = [("This set", own), *((row.title, row.figures) for row in published_sets())]
    return CaptionStatistics(
        columns=tuple(title for title, _ in sets),
        rows=tuple(_rows([figures for _, figures in sets])),
        figures=(
            _spread_figure(sets, "words_per_caption", "Words of a caption", "Captions"),
            # Where all clips have as many, a single bar would say what the table says.
            *(
                [_spread_figure(sets[:1], "captions_per_clip", "Captions of a clip", "Clips")]
                if len(own["captions_per_clip"]["counts"]) > 1
                else []
            ),
            _growth_figure(sets),
        ),
        frequent=tuple((row["word"], row["captions"]) for row in own["frequent_words"]),
    )


def _rows(sets: Sequence[Figures]) -> list[StatisticsRow]:
    def row(label: str, cell: Callable[[Figures], str], *, below: bool = False) -> StatisticsRow:
        return StatisticsRow(label, tuple(cell(one) for one in sets), below)

    def count(key: str) -> Callable[[Figures], str]:
        return lambda one: f"{one[key]:,}"

    def share(key: str) -> Callable[[Figures], str]:
        return lambda one: "none" if one[key] is None else f"{one[key]:.3f}"

    def grown(size: int) -> Callable[[Figures], str]:
        return lambda one: _grown(one, size)

    def fewest_to_most(one: Figures) -> str:
        return "{least} to {most}".format(**one["words_per_caption"])

    return [
        row("Clips", count("clips")),
        row("Captions", count("captions")),
        row("Captions of a clip, mean", lambda one: f"{one['captions_per_clip']['mean']:.2f}"),
        row("Words of a caption, mean", lambda one: f"{one['words_per_caption']['mean']:.2f}"),
        row("fewest to most", fewest_to_most, below=True),
        row("Different words", count("vocabulary")),
        *(row(f"in {size:,} captions", grown(size), below=True) for size in _SAMPLES),
        row("Words of one clip alone", count("words_of_one_clip")),
        row("Similarity of a clip's captions", share("similarity_within_clips")),
        row("of captions of different clips", share("similarity_across_clips"), below=True),
    ]


def _grown(one: Figures, size: int) -> str:
    found = {row["captions"]: row["words"] for row in one["vocabulary_growth"]}
    return f"{found[size]:,.0f}" if size in found else "fewer"


def _spread_figure(sets: Sequence[tuple[str, Figures]], key: str, title: str, what: str) -> Figure:
    """Which share of captions or clips has each number, the set above those published."""
    shares = [(name, _shares(figures[key]["counts"])) for name, figures in sets]
    values = sorted({value for _, found in shares for value in found})
    own = sets[0][1][key]["counts"]
    low, high = (values[0], values[-1]) if values else (0, 0)
    rows = [
        _spread_row(name, found, range(low, high + 1), tone)
        for tone, (name, found) in enumerate(shares)
    ]
    return Figure(
        name=key.replace("_", "-"),
        title=title,
        alt=f"Histograms: {what.lower()} by number, with their means; the table has the numbers.",
        data=bars_in_rows(rows),
        layout=rows_layout(
            rows,
            axis(title, dtick=5 if len(values) > 15 else 1, range=[low - 0.5, high + 0.5]),
            what.lower(),
        ),
        numbers=Numbers(
            (title, what, *(f"Share, {name}" for name, _ in shares)),
            tuple(
                (
                    str(value),
                    f"{own.get(str(value), 0):,}",
                    *(f"{found.get(value, 0):.2%}" for _, found in shares),
                )
                for value in values
            ),
        ),
    )


def _shares(counts: Mapping[str, int]) -> dict[int, float]:
    total = sum(counts.values())
    return {int(value): count / total for value, count in counts.items()}


def _spread_row(name: str, shares: Mapping[int, float], places: range, tone: int) -> BarRow:
    mean = sum(value * share for value, share in shares.items())
    return BarRow(
        name=name,
        edges=[place - 0.5 for place in (*places, places.stop)],
        shares=[shares.get(place, 0.0) for place in places],
        texts=[str(place) for place in places],
        mean=mean,
        mean_text=f"{mean:.2f}",
        tone=tone,
    )


def _growth_figure(sets: Sequence[tuple[str, Figures]]) -> Figure:
    """Different words in so many captions drawn at random."""
    grown = [
        (name, {row["captions"]: row["words"] for row in figures["vocabulary_growth"]})
        for name, figures in sets
    ]
    sizes = sorted({size for _, found in grown for size in found})
    return Figure(
        name="vocabulary-growth",
        title="Different words in captions drawn at random",
        alt="Lines; the table has the same numbers.",
        data=[
            line(
                plain(name),
                list(found),
                [round(words, 1) for words in found.values()],
                meta={"tone": at},
                hovertemplate=f"{plain(name)}: %{{y:,.0f}} words in %{{x:,}} captions"
                "<extra></extra>",
            )
            # The set itself is drawn last, over the others.
            for at, (name, found) in reversed(list(enumerate(grown)))
        ],
        layout=base_layout(
            360,
            showlegend=True,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 72, "b": 48},
            xaxis=axis("Captions", type="log", dtick=1),
            yaxis=axis("Different words", type="log", dtick=1),
        ),
        numbers=Numbers.of(
            ("Captions", *(name for name, _ in grown)),
            (f"{size:,}" for size in sizes),
            ([found.get(size) for _, found in grown] for size in sizes),
            lambda words: "" if words is None else f"{words:,.0f}",
        ),
        point="number of captions",
    )
