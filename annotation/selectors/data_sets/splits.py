"""Splits of a data set as a page shows them: the one under way, and what came of the last."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from annotation.models import DataSet, SplitRun
from annotation.selectors.data_sets.clips import asked_parts
from annotation.selectors.data_sets.tag_figures import tag_shares_figure
from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    plain,
)

# Words by how many clips have them: from each to below the next.
_BANDS = (2, 3, 7, 17, 21, 51, 101, 501, 10**9)
SHOWN_VIOLATIONS = 20


def latest_split(data_set: DataSet) -> SplitRun | None:
    """The latest split, done or not."""
    return data_set.split_runs.defer("report").first()


def published_parts(data_set: DataSet) -> list[str]:
    """Names of the parts that were published, which a new split would leave behind."""
    rows = data_set.publications.exclude(part="").order_by("part")
    return list(rows.values_list("part", flat=True).distinct())


def split_report_page(data_set: DataSet) -> dict[str, Any] | None:
    """What came of the split that a data set has, with its figures; None before there is one.

    ``violations`` are the first words that break constraints. Splits of an earlier version do not
    say which words of a part are outside the tolerance.
    """
    split = data_set.split
    if split is None:
        return None
    run = SplitRun.objects.filter(pk=split["run"], data_set=data_set).first()
    report: dict[str, Any] = {**split["report"], **(run.report if run else {})}
    names = asked_parts(data_set)
    clips = list(data_set.clips.order_by().values_list("meta", "part"))
    words = words_figure(names, report.get("words_by_part", []))
    unknown = {"words_outside_tolerance": None}
    return {
        "asked": split["asked"],
        "report": report,
        "parts": [{"name": name, **unknown, **report["parts"][name]} for name in names],
        "violations": report.get("violations", [])[:SHOWN_VIOLATIONS],
        "figures": [row for row in (words, tag_shares_figure(names, clips)) if row is not None],
        "unsplit": sum(part not in names for _, part in clips),
    }


def words_figure(names: Sequence[str], words: Sequence[Sequence[Any]]) -> Figure:
    """Share of each word's clips in each part, by how many clips have the word."""
    points: defaultdict[tuple[str, int, float], list[str]] = defaultdict(list)
    for word, *counts in words:
        total = sum(counts)
        for name, count in zip(names, counts, strict=True):
            points[name, total, round(count / total, 3)].append(str(word))
    return Figure(
        name="word-shares",
        title="Share of each word's clips by part",
        alt="Points: how many clips have a word, and which share of them is in each part. The "
        "table has the mean share of words by the number of their clips.",
        data=[_words_trace(name, tone, points) for tone, name in enumerate(names)],
        layout=base_layout(
            420,
            showlegend=True,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 48, "b": 48},
            xaxis=axis("Clips with the word", type="log"),
            yaxis=axis("Share in the part", range=[-0.03, 1.03], tickformat=".0%"),
        ),
        numbers=Numbers(
            ("Clips with the word", "Words", *(f"Mean share in {name}" for name in names)),
            tuple(_band_rows(names, words)),
        ),
    )


def _words_trace(
    name: str, tone: int, points: dict[tuple[str, int, float], list[str]]
) -> dict[str, Any]:
    mine = [(total, share, words) for (part, total, share), words in points.items() if part == name]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plain(name),
        "x": [total for total, _, _ in mine],
        "y": [share for _, share, _ in mine],
        "text": [
            plain(", ".join(words[:3]) + (f" and {len(words) - 3:,} more" if words[3:] else ""))
            for _, _, words in mine
        ],
        "marker": {"size": 5, "opacity": 0.6},
        "meta": {"tone": tone % 6},
        "hovertemplate": f"{plain(name)}: %{{y:.0%}} of %{{x}} clips<br>%{{text}}<extra></extra>",
    }


def _band_rows(names: Sequence[str], words: Sequence[Sequence[Any]]) -> list[tuple[str, ...]]:
    rows = []
    for low, high in pairwise(_BANDS):
        counts = [row[1:] for row in words if low <= sum(row[1:]) < high]
        if counts:
            shares = [
                sum(row[at] / sum(row) for row in counts) / len(counts) for at in range(len(names))
            ]
            last = "more" if high == _BANDS[-1] else str(high - 1)
            label = f"{low}" if last == str(low) else f"{low} to {last}"
            rows.append((label, f"{len(counts):,}", *(f"{share:.1%}" for share in shares)))
    return rows
