"""Figures of the tags of clips: how many have each, and which share of them is in which part."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.selectors.data_sets.clips import tags_of
from earmark.datasets.choosing import ChosenClips, ClipPool
from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    plain,
)

MOST_TAGS = 20
POOL_TAGS = 30


def tag_counts_figure(metas: Iterable[Mapping[str, Any]]) -> Figure | None:
    """Clips with each frequent tag; None where no clip has a tag."""
    counts = Counter(tag for meta in metas for tag in tags_of(meta))
    ordered = sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:MOST_TAGS]
    if not ordered:
        return None
    return Figure(
        name="tag-counts",
        title=f"The {len(ordered)} most frequent of {len(counts):,} tags",
        alt="Bars: clips with each tag; the table has the same numbers.",
        data=[
            {
                "type": "bar",
                "orientation": "h",
                "y": [plain(tag) for tag, _ in ordered],
                "x": [count for _, count in ordered],
                "hovertemplate": "%{y}: %{x:,} clips<extra></extra>",
            }
        ],
        layout=_bars_layout(len(ordered), xaxis=axis("Clips", rangemode="tozero")),
        numbers=Numbers(("Tag", "Clips"), tuple((tag, f"{count:,}") for tag, count in ordered)),
    )


def _bars_layout(bars: int, **own: Any) -> dict[str, Any]:
    return base_layout(
        140 + 26 * bars,
        margin={"l": 150, "r": 16, "t": 48 if "legend" in own else 16, "b": 48},
        yaxis=axis("", type="category", autorange="reversed"),
        **own,
    )


def tag_shares_figure(names: Sequence[str], clips: Sequence[tuple[Any, str]]) -> Figure | None:
    """Share of each frequent tag's clips in each part; None where no clip has a tag."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for meta, part in clips:
        for tag in tags_of(meta):
            counts[tag][part] += 1
    ordered = sorted(counts, key=lambda tag: (-counts[tag].total(), tag))[:MOST_TAGS]
    if not ordered:
        return None
    return Figure(
        name="tag-shares",
        title=f"The {len(ordered)} most frequent tags by part",
        alt="Bars: the share of each tag's clips in each part; the table has the clips.",
        data=[
            {
                "type": "bar",
                "orientation": "h",
                "name": plain(name),
                "y": [plain(tag) for tag in ordered],
                "x": [round(counts[tag][name] / counts[tag].total(), 4) for tag in ordered],
                "meta": {"tone": tone % 6},
                "hovertemplate": f"%{{y}}, {plain(name)}: %{{x:.0%}}<extra></extra>",
            }
            for tone, name in enumerate(names)
        ],
        layout=_bars_layout(
            len(ordered),
            barmode="stack",
            showlegend=True,
            legend=LEGEND_ABOVE,
            xaxis=axis("Share of the tag's clips", range=[0, 1], tickformat=".0%"),
        ),
        numbers=Numbers(
            ("Tag", "Clips", *names),
            tuple(
                (tag, f"{counts[tag].total():,}", *(f"{counts[tag][name]:,}" for name in names))
                for tag in ordered
            ),
        ),
    )


def tag_spread_figure(chosen: ChosenClips, pool: ClipPool) -> Figure:
    """Share of the pool's and of the chosen clips that have each frequent tag."""
    in_pool = Counter(tag for clip in pool.clips for tag in clip.tags)
    counts = Counter(tag for clip in chosen.clips for tag in clip.tags)
    ordered = sorted(in_pool, key=lambda tag: (-in_pool[tag], tag))[:POOL_TAGS]
    series = (("Pool", in_pool, len(pool)), ("Chosen", counts, len(chosen.clips)))
    return Figure(
        name="tag-spread",
        title=f"Clips with the {len(ordered)} most frequent tags of the pool",
        alt="Bars: the share of clips with each tag; the table has the clips.",
        data=[
            {
                "type": "bar",
                "name": name,
                "x": [plain(tag) for tag in ordered],
                "y": [round(by_tag[tag] / clips, 5) for tag in ordered],
                "meta": {"tone": "soft"} if name == "Pool" else {},
                "hovertemplate": f"{name}, %{{x}}: %{{y:.1%}}<extra></extra>",
            }
            for name, by_tag, clips in series
        ],
        layout=base_layout(
            380,
            showlegend=True,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 48, "b": 120},
            xaxis=axis("", type="category", tickangle=-45),
            yaxis=axis("Share of the clips", rangemode="tozero", tickformat=".0%"),
        ),
        numbers=Numbers(
            ("Tag", "Clips of the pool", "Chosen clips"),
            tuple((tag, f"{in_pool[tag]:,}", f"{counts[tag]:,}") for tag in ordered),
        ),
    )
