"""Prepared references in memory: made once for all threads and runs, and never without bound."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest

from scoring.captions import References
from scoring.kept_references import KeptReferences
from scoring.metrics.rouge_l.metric import RougeL, RougeReferences
from scoring.prepared_cache import prepared_references
from scoring.workspace import Workspace
from tests.scoring.corpora import words_workspace

REFERENCES = References.build([("a.wav", ["a dog barks"]), ("b.wav", ["rain falls", "it rains"])])


class CountedRouge(RougeL):
    """Counts how often references are prepared."""

    def __init__(self) -> None:
        super().__init__()
        self.prepared = 0

    def prepare(self, references: References, workspace: Workspace) -> RougeReferences:
        self.prepared += 1
        return super().prepare(references, workspace)


def workspace_with(kept: KeptReferences | None, cache_dir: Path | None = None) -> Workspace:
    return words_workspace(REFERENCES.captions, kept=kept, cache_dir=cache_dir)


def test_runs_that_share_it_prepare_once() -> None:
    family, kept = CountedRouge(), KeptReferences()
    first, second = (
        prepared_references(family, REFERENCES, workspace_with(kept)) for _ in range(2)
    )
    assert family.prepared == 1
    assert first is second
    prepared_references(family, REFERENCES, workspace_with(None))
    assert family.prepared == 2


def test_parameters_are_told_apart() -> None:
    kept = KeptReferences()
    for family in (RougeL(), RougeL(beta=1.0)):
        ready = prepared_references(family, REFERENCES, workspace_with(kept))
        assert ready is prepared_references(family, REFERENCES, workspace_with(kept))
    assert len(kept) == 1


def test_threads_make_what_they_want_at_once_only_once() -> None:
    kept, together = KeptReferences(), Barrier(8)
    made: list[int] = []

    def want(number: int) -> int:
        def make() -> int:
            made.append(number)
            return number

        together.wait()
        return kept.once("references", "bleu", make)

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(want, range(8)))
    assert len(made) == 1
    assert found == set(made)


def test_the_set_that_was_used_least_recently_goes() -> None:
    kept = KeptReferences(sets=2)
    for references in ("first", "second", "first", "third"):
        for family in ("bleu", "rouge_l"):
            kept.once(references, family, partial(str, references))
    assert len(kept) == 2
    assert kept.once("first", "bleu", lambda: "anew") == "first"
    assert kept.once("second", "bleu", lambda: "anew") == "anew"


def test_a_failure_is_not_kept() -> None:
    kept = KeptReferences()

    def fail() -> str:
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        kept.once("references", "bleu", fail)
    assert kept.once("references", "bleu", lambda: "made") == "made"
