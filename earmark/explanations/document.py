"""docs/reference/metrics.md: every metric with a worked example."""

import math
from collections.abc import Iterator, Mapping

from earmark.explanations import SHOWS, example_corpus, example_scores
from earmark.registry import METRICS, MetricInfo
from earmark.results import MetricScore
from earmark.workspace import Workspace

_HEAD = """\
# Metrics

What each metric measures, what it misses, and how it scores the same six captions. This page is
written by

    python -m earmark metrics --document docs/reference/metrics.md

and the metrics themselves compute every number on it. If a definition leaves a choice open, a
parameter settles it; parameters are part of the signature of every number. The papers behind the
metrics are listed, with links, in [papers.md](papers.md).

## The example

Six made-up clips, each with five references and one caption by a system.
"""


def metrics_document(workspace: Workspace) -> str:
    """Write the page as Markdown."""
    results = example_scores(workspace).results
    parts = [_HEAD, *_example()]
    for name, result in results.items():
        parts += _section(METRICS[name], result)
    return "\n".join(parts)


def _example() -> Iterator[str]:
    candidates, references = example_corpus()
    for clip, caption in zip(references.clips, candidates.first, strict=True):
        yield f"**{clip.file_name}**: {SHOWS[clip.file_name]}\n"
        yield f"> {caption}\n"
        yield from (f"{i}. {text}" for i, text in enumerate(clip.references, 1))
        yield ""


def _section(info: MetricInfo, result: MetricScore) -> Iterator[str]:
    explanation = info.explanation
    low, high = _bound(info.low), _bound(info.high)
    yield f"## {info.label}\n"
    yield f"`{info.name}`: {low} to {high}, {info.direction} is better. {info.summary}.\n"
    yield f"{explanation.what}\n"
    yield from _values(result, info.decimals)
    yield from _worked(info, result)
    yield f"**Misses.** {explanation.misses}\n"
    yield f"**Source.** [{info.source}]({info.link}).\n"
    yield f"    {result.signature}\n"


def _values(result: MetricScore, decimals: int) -> Iterator[str]:
    _, references = example_corpus()
    yield f"| {' | '.join(references.file_names)} | corpus |"
    yield "|---" * (len(references) + 1) + "|"
    cells = [_number(float(value), decimals) for value in result.per_clip]
    yield f"| {' | '.join(cells)} | {_number(result.value, decimals)} |\n"


def _worked(info: MetricInfo, result: MetricScore) -> Iterator[str]:
    if result.details is None:
        return
    _, references = example_corpus()
    clip = info.explanation.clip
    place = references.file_names.index(clip)
    detail: Mapping[str, object] = result.details[place]
    yield f"How {clip} gets {_number(float(result.per_clip[place]), info.decimals)}:\n"
    yield from (f"- {line}" for line in info.explanation.steps(detail))
    yield ""


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}" if math.isfinite(value) else "none"


def _bound(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else "any number"
