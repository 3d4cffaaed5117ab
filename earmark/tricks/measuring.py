"""What tricks gain by each metric, and the results that are stored with the project.

``earmark/resources/tricks/README.md`` says how the file of what was measured is written.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from earmark.captions import Candidates, References
from earmark.pipeline import Parameters, score
from earmark.registry import METRICS
from earmark.results import MetricScore
from earmark.tricks.captions import TRICKS
from earmark.workspace import Workspace

RESULTS_FILE = Path(__file__).parents[1] / "resources" / "tricks" / "clotho.json"


@dataclass(frozen=True, slots=True)
class MetricUnderTricks:
    """A metric's corpus value of an honest system with its 95 % interval, and by trick."""

    name: str
    signature: str
    honest: float
    low: float
    high: float
    values: Mapping[str, float]

    def gain(self, trick: str) -> float:
        """By how much the trick is better than the honest system, in units of the metric."""
        gain = self.values[trick] - self.honest
        return gain if METRICS[self.name].direction == "higher" else -gain

    @property
    def chance(self) -> float:
        """How much better than the honest system its interval reaches, in units of the metric."""
        if METRICS[self.name].direction == "higher":
            return self.high - self.honest
        return self.honest - self.low

    @property
    def raised_by(self) -> tuple[str, ...]:
        """Tricks that are better than the honest system's whole interval, the worst first."""
        raised = [name for name in self.values if self.gain(name) > self.chance]
        return tuple(sorted(raised, key=lambda name: -self.gain(name)))


@dataclass(frozen=True, slots=True)
class TrickResults:
    """All metrics for one honest system, in registry order; its file and that of the references."""

    candidates: str
    references: str
    clips: int
    metrics: Mapping[str, MetricUnderTricks]


def measure_tricks(
    candidates: Candidates,
    references: References,
    metrics: Sequence[str],
    workspace: Workspace,
    parameters: Parameters | None = None,
) -> tuple[dict[str, MetricUnderTricks], dict[str, str]]:
    """Score the honest captions and those of every trick; a clip's first candidate counts.

    Raises as ``pipeline.score`` does.
    """
    honest = tuple(ranked[0] for ranked in candidates.captions)

    def scored(captions: Sequence[str]) -> Mapping[str, MetricScore]:
        run = score(Candidates.single(captions), references, metrics, workspace, parameters)
        missing.update(run.unavailable)
        return run.results

    missing: dict[str, str] = {}
    of_honest = scored(honest)
    of_tricks = {trick.name: scored(trick.write(honest, references.captions)) for trick in TRICKS}
    measured = {
        name: MetricUnderTricks(
            name,
            result.signature,
            result.value,
            result.interval.low,
            result.interval.high,
            {trick: results[name].value for trick, results in of_tricks.items()},
        )
        for name, result in of_honest.items()
        if name not in missing
    }
    return measured, missing


def results_json(results: TrickResults) -> str:
    """Write what was measured as JSON, values to six digits."""
    rows = {
        name: {key: _rounded(value) for key, value in asdict(row).items() if key != "name"}
        for name, row in results.metrics.items()
    }
    head = {
        "candidates": results.candidates,
        "references": results.references,
        "clips": results.clips,
        "metrics": rows,
    }
    return json.dumps(head, indent=1, allow_nan=False) + "\n"


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return {key: _rounded(one) for key, one in value.items()} if isinstance(value, dict) else value


@cache
def measured_tricks() -> TrickResults:
    """What tricks gain on Clotho, as stored with the project."""
    stored = json.loads(RESULTS_FILE.read_text())
    rows = {name: MetricUnderTricks(name, **row) for name, row in stored.pop("metrics").items()}
    return TrickResults(**stored, metrics=rows)
