"""What each metric is, with a small example that the metrics themselves score.

The example has six clips, each of which shows something.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

from earmark.captions import Candidates, References, read_candidates, read_references
from earmark.pipeline import CorpusScores, score
from earmark.registry import metrics_for
from earmark.workspace import Workspace

_FOLDER = Path(__file__).with_name("example")

# What each clip of the example shows, in the order of its references.
SHOWS = {
    "garden.wav": "right, in the references' words",
    "roof.wav": "right, in other words",
    "hall.wav": "half right: a voice is invented, the footsteps are missed",
    "station.wav": "right, but not a sentence",
    "yard.wav": "the right words in the wrong roles",
    "kitchen.wav": "another clip's caption",
}


@cache
def example_corpus() -> tuple[Candidates, References]:
    """Read the captions and references of the example."""
    references = read_references((_FOLDER / "references.csv").read_bytes()).value
    if references is None:
        raise ValueError("The references of the example have faults.")
    candidates = read_candidates((_FOLDER / "candidates.csv").read_bytes(), references).value
    if candidates is None:
        raise ValueError("The captions of the example have faults.")
    return candidates, references


def example_scores(workspace: Workspace) -> CorpusScores:
    """Score the example with details by every metric of single candidates."""
    candidates, references = example_corpus()
    wanted = metrics_for(several=candidates.several)
    return score(candidates, references, wanted, replace(workspace, details=True))
