"""The shipped labeller behind aces, against human judgments and published systems."""

from dataclasses import replace
from pathlib import Path

import pytest

from earmark.benchmark import human_agreement, read_judgments
from earmark.captions import Candidates, References
from earmark.metrics.aces.metric import Aces
from earmark.workspace import Workspace
from tests.earmark.corpora import published

JUDGMENTS = "benchmark/audiocaps_eval.json"


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    """Where each caption is labelled once, whatever is made of its labels."""
    return Workspace(device="cpu")


def test_the_benchmark_takes_the_best_reference_unless_it_is_told(
    shared_data: Path, workspace: Workspace
) -> None:
    judgments = read_judgments((shared_data / JUDGMENTS).read_bytes())
    some = replace(judgments, pairs=judgments.decidable[::10])

    def differences(**given: str) -> list[float]:
        found = human_agreement(some, ["aces"], workspace, {"aces": given} if given else None)
        return list(found.preferences.differences["aces"])

    usual = differences()
    assert usual == differences(mode="max")
    # What is asked for comes before what the benchmark takes by itself.
    assert usual != differences(mode="combined")
    assert usual != differences(fluency="none")


@pytest.mark.parametrize("mode", ["combined", "max"])
def test_published_systems_come_in_the_published_order(
    shared_data: Path, workspace: Workspace, mode: str
) -> None:
    # DCASE.md: ACES of the three systems is .422, .461 and .493, in this order. First 60 clips,
    # of which our fluency detector flags more of the first system than the original one.
    family = Aces(mode="max" if mode == "max" else "combined")
    values = []
    prepared = None
    for system in ("audiocaption", "dcase2022_baseline", "dcase2023_baseline"):
        said, told = published(shared_data, system)
        part = References(told.clips[:60])
        prepared = prepared or family.prepare(part, workspace)
        found = family.score(Candidates(said.captions[:60]), part, prepared, workspace)
        values.append(found["aces"].value)
    assert values == sorted(values)
    assert 0.38 < values[0] < values[2] < 0.65
