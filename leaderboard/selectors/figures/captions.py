"""Statistics of captions beside those of published data sets: a table and figures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from earmark.datasets.describing import published_sets
from leaderboard.selectors.figures.distributions import bars_in_rows, row_of_counts, rows_layout
from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    line,
    plain,
)

Figures = Mapping[str, Any]
_SAMPLES = (1_000, 5_000)


Cell = Callable[[Figures], str]


def caption_statistics(own: Figures) -> dict[str, Any]:
    """Statistics of a set of captions, whose figures are as ``described_json`` has them.

    ``columns`` names the set and the published ones beside it, ``rows`` have a label, whether it
    belongs to the row above, and a cell for each of them.
    """
    sets = [("This set", own), *((row.title, row.figures) for row in published_sets())]
    figures = [_spread_figure(sets, "words_per_caption", "Words of a caption", "Captions")]
    # Where all clips have as many, a single bar would say what the table says.
    if len(own["captions_per_clip"]["counts"]) > 1:
        figures.append(_spread_figure(sets[:1], "captions_per_clip", "Captions of a clip", "Clips"))
    return {
        "columns": [title for title, _ in sets],
        "rows": [
            (label, below, [cell(figures) for _, figures in sets]) for label, below, cell in _rows()
        ],
        "figures": [*figures, _growth_figure(sets)],
        "frequent": [(row["word"], row["captions"]) for row in own["frequent_words"]],
    }


def _rows() -> list[tuple[str, bool, Cell]]:
    def count(key: str) -> Cell:
        return lambda one: f"{one[key]:,}"

    def share(key: str) -> Cell:
        return lambda one: "none" if one[key] is None else f"{one[key]:.3f}"

    def mean(key: str) -> Cell:
        return lambda one: f"{one[key]['mean']:.2f}"

    def grown(size: int) -> Cell:
        def words(one: Figures) -> str:
            by_size = {row["captions"]: row["words"] for row in one["vocabulary_growth"]}
            return f"{by_size[size]:,.0f}" if size in by_size else "fewer"

        return words

    return [
        ("Clips", False, count("clips")),
        ("Captions", False, count("captions")),
        ("Captions of a clip, mean", False, mean("captions_per_clip")),
        ("Words of a caption, mean", False, mean("words_per_caption")),
        (
            "fewest to most",
            True,
            lambda one: "{least} to {most}".format(**one["words_per_caption"]),
        ),
        ("Different words", False, count("vocabulary")),
        *((f"in {size:,} captions", True, grown(size)) for size in _SAMPLES),
        ("Words of one clip alone", False, count("words_of_one_clip")),
        ("Similarity of a clip's captions", False, share("similarity_within_clips")),
        ("of captions of different clips", True, share("similarity_across_clips")),
    ]


def _spread_figure(sets: Sequence[tuple[str, Figures]], key: str, title: str, what: str) -> Figure:
    """Which share of captions or clips has each number, the set above those published."""
    shares = [(name, _shares(figures[key]["counts"])) for name, figures in sets]
    values = sorted({value for _, distribution in shares for value in distribution})
    own = sets[0][1][key]["counts"]
    low, high = (values[0], values[-1]) if values else (0, 0)
    places = range(low, high + 1)
    rows = [
        row_of_counts(name, distribution, places, tone, map(str, places))
        for tone, (name, distribution) in enumerate(shares)
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
                    *(f"{distribution.get(value, 0):.2%}" for _, distribution in shares),
                )
                for value in values
            ),
        ),
    )


def _shares(counts: Mapping[str, int]) -> dict[int, float]:
    total = sum(counts.values())
    return {int(value): count / total for value, count in counts.items()}


def _growth_figure(sets: Sequence[tuple[str, Figures]]) -> Figure:
    """Different words in so many captions drawn at random."""
    grown = [
        (name, {row["captions"]: row["words"] for row in figures["vocabulary_growth"]})
        for name, figures in sets
    ]
    sizes = sorted({size for _, by_size in grown for size in by_size})
    return Figure(
        name="vocabulary-growth",
        title="Different words in captions drawn at random",
        alt="Lines; the table has the same numbers.",
        data=[
            line(
                plain(name),
                list(by_size),
                [round(words, 1) for words in by_size.values()],
                meta={"tone": at},
                hovertemplate=f"{plain(name)}: %{{y:,.0f}} words in %{{x:,}} captions"
                "<extra></extra>",
            )
            # The set itself is drawn last, over the others.
            for at, (name, by_size) in reversed(list(enumerate(grown)))
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
            ([by_size.get(size) for _, by_size in grown] for size in sizes),
            lambda words: "" if words is None else f"{words:,.0f}",
        ),
        point="number of captions",
    )
