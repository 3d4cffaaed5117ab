"""Networks read ahead: once per distinct text, for whoever comes first, and never in the way."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.metrics.fluency.metric import Fluency
from earmark.models import bert
from earmark.pipeline import score
from earmark.read_ahead import ReadingAhead, reading_ahead
from earmark.registry import metrics_for
from earmark.text import parse
from earmark.text.parser import Parse, Parser, parse_here
from earmark.workspace import Workspace
from tests.earmark.corpora import corpus

CANDIDATES = ["a dog barks loudly", "rain falls on a tin roof", "a dog barks loudly", "wind"]
REFERENCES = [
    ["a dog is barking", "a big dog barks in the yard"],
    ["rain falls on a tin roof", "heavy rain hits metal"],
    ["a cat meows", "a dog is barking"],
    ["wind blows", "strong wind"],
]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[int, tuple[int, ...]]]:
    """How often each encoder read each text, by its sub-words."""
    for thread in enumerate_threads():
        if thread.name == "reading ahead":  # of a worker that another test played
            thread.join()
    counted: Counter[tuple[int, tuple[int, ...]]] = Counter()
    states = bert.PackedBert.states

    def counting(self: bert.PackedBert, texts: Any, **options: Any) -> Any:
        counted.update((id(self), tuple(ids)) for ids in texts)
        return states(self, texts, **options)

    monkeypatch.setattr(bert.PackedBert, "states", counting)
    return counted


@pytest.mark.parametrize("processors", [1, 2])
def test_every_network_reads_each_distinct_text_once(
    passes: Counter[tuple[int, tuple[int, ...]]], processors: int
) -> None:
    """All families of a run together: sentences, sub-words, spans, phrases and tuples."""
    candidates, references, _ = corpus(CANDIDATES, REFERENCES)
    workspace = Workspace(device="cpu", details=True, processors=processors)
    found = score(candidates, references, metrics_for(several=False), workspace)
    assert not found.unavailable
    # The names of sounds, which a process embeds once, may be phrases as well.
    again = {key: count for key, count in passes.items() if count > 1}
    assert not again or max(again.values()) == 2
    texts = {tuple(ids) for _, ids in passes}
    assert len(texts) > len({*CANDIDATES, *(text for clip in REFERENCES for text in clip)})


def test_every_parser_reads_each_distinct_caption_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One reads sentences for CB-Score and SBF, and COCO's tokens for SPICE; one for SPICE+."""
    counted: Counter[tuple[str, str]] = Counter()

    def counting(texts: Sequence[str], parser: Parser) -> list[Parse]:
        counted.update((parser, text) for text in texts)
        return parse_here(texts, parser)

    monkeypatch.setattr(parse, "parse_here", counting)
    candidates, references, workspace = corpus(CANDIDATES, REFERENCES, details=True)
    score(candidates, references, metrics_for(several=False), workspace)
    assert {*counted.values()} == {1}
    captions = len({*candidates.first, *references.captions})
    assert Counter(parser for parser, _ in counted) == {
        "general": 2 * captions,
        "captions": captions,
    }


def test_values_are_the_same_with_and_without_reading_ahead(tmp_path: Path) -> None:
    candidates, references, _ = corpus(CANDIDATES, REFERENCES)
    plain, ahead = (
        score(
            candidates,
            references,
            metrics_for(several=False),
            Workspace(
                device="cpu", details=True, processors=count, cache_dir=tmp_path / str(count)
            ),
        ).results
        for count in (1, 3)
    )
    for name, result in plain.items():
        np.testing.assert_array_equal(result.per_clip, ahead[name].per_clip, err_msg=name)
        assert result.details == ahead[name].details


def test_without_memory_for_a_thread_nothing_is_read_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    candidates, references, _ = corpus(CANDIDATES, REFERENCES)
    workspace = Workspace(device="cpu", processors=2)
    with reading_ahead(["fluency"], candidates, references, workspace, {}) as ahead:
        assert "new thread" in str(ahead.error)
    assert score(candidates, references, ["rouge_l"], workspace).results["rouge_l"].value > 0


def test_a_run_that_ends_takes_its_thread_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def endless(_self: Fluency, _texts: object, workspace: Workspace) -> None:
        try:
            while True:
                begun.set()
                workspace.progress("fluency", 0, 1)
        finally:
            ended.set()

    monkeypatch.setattr(Fluency, "read_ahead", endless)
    ahead = ReadingAhead(
        ("fluency",),
        Candidates.single(CANDIDATES),
        References.build([("a.wav", ["a dog"])]),
        Workspace(device="cpu", processors=2),
        {},
    )
    assert begun.wait()
    ahead.stop()
    assert ended.is_set()


def test_a_process_that_ends_meanwhile_ends_well_and_soon() -> None:
    """Compiled code in a thread that Python leaves behind would end it with an abort."""
    code = """
import sys, time
from earmark.captions import Candidates, References
from earmark.read_ahead import ReadingAhead
from earmark.workspace import Workspace
said = [f"a dog barks {n} times" for n in range(20000)]
references = References.build([(f"{n}.wav", [text]) for n, text in enumerate(said)])
workspace = Workspace(device="cpu", processors=3)
ahead = ReadingAhead(("sbert", "aces"), Candidates.single(said), references, workspace, {})
while "earmark.models.bert" not in sys.modules:
    time.sleep(0.01)
time.sleep(1)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
