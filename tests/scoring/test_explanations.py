"""Every metric is explained, by numbers that it computes itself."""

import re
from pathlib import Path

import pytest

from scoring.explanations import SHOWS, example_corpus
from scoring.explanations.document import metrics_document
from scoring.registry import METRICS, metrics_for
from scoring.workspace import Workspace

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md"
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.])")
# A value that lies between two roundings may fall to either side on another machine.
ROUNDING = 0.0021


def test_every_clip_of_the_example_is_introduced() -> None:
    candidates, references = example_corpus()
    assert tuple(SHOWS) == references.file_names
    assert {len(clip.references) for clip in references.clips} == {5}
    assert {info.explanation.clip for info in METRICS.values()} <= set(SHOWS)
    assert len(candidates) == len(references)


def test_the_page_is_what_the_metrics_compute() -> None:
    computed = metrics_document(Workspace(device="cpu"))
    page = PAGE.read_text(encoding="utf-8")
    assert NUMBER.sub("#", page) == NUMBER.sub("#", computed), f"write {PAGE} anew"
    written, found = NUMBER.findall(page), NUMBER.findall(computed)
    assert [float(text) for text in written] == pytest.approx(
        [float(text) for text in found], abs=ROUNDING
    )


def test_every_metric_stands_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in metrics_for(several=False) if f"\n`{name}`: " not in page] == []
