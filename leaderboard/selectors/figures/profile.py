"""Figures of one system."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from leaderboard.selectors.analysis.profile import (
    TUPLE_METRICS,
    EventCount,
    LabelShare,
    SeveralCandidates,
    Writing,
    families_of,
)
from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    SYMBOLS,
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    line,
    plain,
)
from leaderboard.selectors.words.label_names import label_title

_ROW = 26
_LINE = 22  # characters


def groups_figure(events: Sequence[EventCount]) -> Figure:
    """Recall and precision of sound events by family of AudioSet."""
    families = families_of(events)
    names = [family.name for family in families]
    rows = (
        (row.name, f"{row.in_references:,}", _percent(row.recall), _percent(row.precision))
        for row in families
    )
    return Figure(
        name="events-by-family",
        title="Sound events named, by family of AudioSet",
        alt="Bars of recall and precision for each family; the table has the same numbers.",
        data=[
            _bars("Recall", names, [family.recall for family in families], 0),
            _bars("Precision", names, [family.precision for family in families], 4),
        ],
        layout=_share_layout(120 + 2 * _ROW * len(names), legend=True),
        numbers=Numbers(("Family", "Mentions in clips", "Recall", "Precision"), tuple(rows)),
        about=about("cb_score"),
    )


def labels_figure(labels: Sequence[LabelShare]) -> Figure:
    """How often the system says what the references describe, by descriptor label."""
    names = [label_title(label.name) for label in labels]
    rows = (
        (name, f"{row.in_references:,}", f"{row.covered:,}", _percent(row.share))
        for name, row in zip(names, labels, strict=True)
    )
    return Figure(
        name="descriptor-labels",
        title="Descriptors of the references that the captions have too",
        alt="Bars of coverage for each label; the table has the same numbers.",
        data=[_bars("Covered", names, [label.share for label in labels], 0)],
        layout=_share_layout(100 + _ROW * len(names), legend=False),
        numbers=Numbers(("Label", "Clips", "Covered", "Share"), tuple(rows)),
        about=about("aces"),
    )


def _share_layout(height: int, *, legend: bool) -> dict[str, Any]:
    """The layout of bars from 0 to 1, one or more for each name."""
    return base_layout(
        height,
        showlegend=legend,
        **({"legend": LEGEND_ABOVE} if legend else {}),
        # Plotly leaves a number out that has no room beside the axis: half of "100 %".
        margin={"l": 16, "r": 28, "t": 40 if legend else 16, "b": 48},
        xaxis=axis("Share of clips", range=[0, 1], tickformat=".0%"),
        yaxis=axis("", autorange="reversed", type="category"),
    )


def lengths_figure(ours: Writing, theirs: Writing) -> Figure:
    """Captions by number of words, the system's beside the references'."""
    sides = ours.lengths, theirs.lengths
    # Words are counted as the size of the vocabulary is.
    return _both_sides("caption-lengths", "Words in a caption", "Words", *sides, metric="vocab")


def counts_figure(ours: Mapping[int, int], theirs: Mapping[int, int]) -> Figure:
    """Captions by number of sound events, the system's beside the references'."""
    return _both_sides(
        "events-per-caption", "Sound events in a caption", "Events", ours, theirs, metric="cb_score"
    )


def _both_sides(
    name: str,
    title: str,
    unit: str,
    ours: Mapping[int, int],
    theirs: Mapping[int, int],
    *,
    metric: str,
) -> Figure:
    places = list(range(min([*ours, *theirs], default=0), max([*ours, *theirs], default=0) + 1))
    sides = [
        (label, [side.get(place, 0) / total if total else None for place in places], tone)
        for label, side, tone in (("System", ours, 0), ("References", theirs, 4))
        for total in [sum(side.values())]
    ]
    return Figure(
        name=name,
        title=title,
        alt="Bars of shares for the system and the references; the table has the same numbers.",
        data=[
            {
                "type": "bar",
                "name": label,
                "x": places,
                "y": shares,
                "meta": {"tone": tone},
                "hovertemplate": f"%{{x}} {unit.lower()}: %{{y:.1%}}<extra>{label}</extra>",
            }
            for label, shares, tone in sides
        ],
        layout=base_layout(
            300,
            showlegend=True,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 40, "b": 48},
            barmode="group",
            xaxis=axis(unit),
            yaxis=axis("Share of captions", rangemode="tozero", tickformat=".0%"),
        ),
        numbers=Numbers.of(
            (unit, "System", "References"),
            map(str, places),
            zip(sides[0][1], sides[1][1], strict=True),
            _percent,
        ),
        about=about(metric),
    )


def _bars(label: str, names: list[str], shares: list[float | None], tone: int) -> dict[str, object]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": label,
        # In lines, so that on a phone a name leaves room for its bar.
        "y": [
            "<br>".join(wrap(plain(name), _LINE, break_long_words=False, break_on_hyphens=False))
            for name in names
        ],
        "x": [None if share is None else round(share, 4) for share in shares],
        "meta": {"tone": tone},
        "hovertemplate": f"%{{y}}: %{{x:.1%}}<extra>{label}</extra>",
    }


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


_HEIGHT = 320


def tuples_figure(candidates: SeveralCandidates) -> Figure | None:
    """SPICE+ precision, recall and F of the first 1, 2, ... candidates together."""
    if candidates.tuples is None:
        return None
    labels = [candidates.labels[name] for name in TUPLE_METRICS]
    columns = [candidates.tuples[:, column].tolist() for column in range(len(labels))]
    return _lines(
        candidates,
        name="tuples-by-candidates",
        title="SPICE+ of the first candidates together, by their number",
        labels=labels,
        columns=columns,
        unit="Mean over clips",
        metrics=TUPLE_METRICS,
    )


def best_figure(candidates: SeveralCandidates) -> Figure | None:
    """SPIDEr of the best of the first 1, 2, ... candidates."""
    if candidates.best is None:
        return None
    label = candidates.labels["spider"]
    return _lines(
        candidates,
        name="best-by-candidates",
        title=f"{label} of the best of the first candidates, by their number",
        labels=[f"{label} of the best"],
        columns=[candidates.best.tolist()],
        unit=f"Mean {label} over clips",
        metrics=("spider", "spider_max"),
    )


def _lines(
    candidates: SeveralCandidates,
    *,
    name: str,
    title: str,
    labels: Sequence[str],
    columns: Sequence[Sequence[float]],
    unit: str,
    metrics: Sequence[str],
) -> Figure:
    places = list(range(1, candidates.most + 1))
    several = len(labels) > 1
    return Figure(
        name=name,
        title=title,
        alt=f"{'Lines' if several else 'A line'} from 1 to {candidates.most} candidates; "
        "the table has the same numbers.",
        data=[
            line(
                label,
                places,
                [round(value, 6) for value in values],
                marker={"size": 8, "symbol": SYMBOLS[at]},
                meta={"tone": at},
                hovertemplate=f"%{{x}} candidates: %{{y:.3f}}<extra>{label}</extra>",
            )
            for at, (label, values) in enumerate(zip(labels, columns, strict=True))
        ],
        layout=base_layout(
            _HEIGHT,
            showlegend=several,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 40 if several else 16, "b": 48},
            # A little room at both ends, so that no marker is cut.
            xaxis=axis(
                "Candidates",
                dtick=1 if candidates.most <= 10 else 2,
                tick0=1,
                range=[0.8, candidates.most + 0.2],
            ),
            yaxis=axis(unit, rangemode="tozero"),
        ),
        numbers=Numbers(
            ("Candidates", *labels, "Clips with fewer"),
            tuple(
                (
                    str(place),
                    *(f"{values[place - 1]:.3f}" for values in columns),
                    f"{candidates.fewer[place - 1]:,}",
                )
                for place in places
            ),
        ),
        about=about(*metrics),
        point="number of candidates",
    )
