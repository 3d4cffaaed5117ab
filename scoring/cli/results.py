"""Scores as files: corpus values, values per clip, details per clip."""

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scoring import __version__
from scoring.captions import Candidates, References
from scoring.details import details_by_family, json_ready
from scoring.results import MetricResult

if TYPE_CHECKING:
    from scoring.pipeline import Scores


def scores_json(scores: "Scores", clips: int) -> str:
    """Write the corpus values as JSON; what is not a finite number is null."""
    found = {
        "scorer": __version__,
        "clips": clips,
        "metrics": {name: _result_json(result) for name, result in scores.results.items()},
        "unavailable": {name: why.reason for name, why in scores.unavailable.items()},
    }
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _result_json(result: MetricResult) -> dict[str, Any]:
    return {
        "value": _finite(result.value),
        "low": _finite(result.interval.low),
        "high": _finite(result.interval.high),
        "coverage": result.coverage,
        "signature": result.signature,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def per_clip_csv(scores: "Scores", references: References) -> str:
    """Write one row per clip in the order of the references.

    Every float32 is written with the digits that read back as the same
    number; a clip that a metric says nothing about has an empty cell.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["file_name", *scores.results])
    columns = [[_digits(value) for value in result.per_clip] for result in scores.results.values()]
    for index, name in enumerate(references.file_names):
        writer.writerow([name, *(column[index] for column in columns)])
    return out.getvalue()


def _digits(value: Any) -> str:
    return "" if math.isnan(value) else str(value)


def details_jsonl(scores: "Scores", candidates: Candidates, references: References) -> str:
    """Write one JSON object per clip in the order of the references: scores and why.

    The values are those of ``per_clip_csv``, null where a metric says nothing
    about the clip; metrics that were unavailable are left out. A clip with
    several candidates has them all beside its caption, which is the first.
    """
    return "".join(
        json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
        for line in _clip_lines(scores, candidates, references)
    )


def _clip_lines(
    scores: "Scores", candidates: Candidates, references: References
) -> Iterator[dict[str, Any]]:
    # Through its digits, so that 0.1 in float32 does not read 0.10000000149011612.
    columns = {
        name: [float(digits) if (digits := _digits(value)) else None for value in result.per_clip]
        for name, result in scores.results.items()
    }
    families = details_by_family(scores.results.values())
    for index, clip in enumerate(references.clips):
        ranked = candidates.captions[index]
        yield {
            "file_name": clip.file_name,
            "caption": ranked[0],
            **({"candidates": list(ranked)} if len(ranked) > 1 else {}),
            "references": list(clip.references),
            "metrics": {name: column[index] for name, column in columns.items()},
            "details": {name: json_ready(rows[index]) for name, rows in families.items()},
        }
