"""How often ``earmark`` agrees with people by weights that did not see a pair's clip.

Its weights are learned from the pairs on which the others are measured, so that it stands beside
them with what nested cross-validation finds. ``train earmark --validated`` writes the file.
"""

import json
from collections.abc import Mapping
from functools import cache

from scoring.benchmark import Accuracy
from scoring.benchmark_results import (
    RESULTS_FILE,
    BenchmarkedMetric,
    accuracy_from_row,
    accuracy_row,
)

VALIDATED_FILE = RESULTS_FILE.with_name("earmark_validated.json")


def validated_json(signature: str, accuracies: Mapping[str, Accuracy]) -> str:
    """Write the accuracies by kind of pair of the metric with this signature."""
    rows = {kind: accuracy_row(share) for kind, share in accuracies.items()}
    return json.dumps({"signature": signature, "accuracies": rows}, indent=1) + "\n"


@cache
def validated() -> BenchmarkedMetric:
    """What is stored with the project."""
    stored = json.loads(VALIDATED_FILE.read_text())
    return BenchmarkedMetric(
        stored["signature"].partition("|")[0],
        stored["signature"],
        {kind: accuracy_from_row(row) for kind, row in stored["accuracies"].items()},
    )
