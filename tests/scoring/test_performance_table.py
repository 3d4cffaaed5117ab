"""The arithmetic of the table of costs: multiples, medians, differences and operations."""

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.captions import Candidates
from scoring.registry import standard_families
from tests.bench.performance.captions import (
    crossed,
    distinct,
    made_up,
    mixtures,
    with_a_tenth_changed,
)
from tests.bench.performance.encoder import encoder_operations, share_of_peak
from tests.bench.performance.parts import GROUPS, Measured, cold_cache
from tests.bench.performance.peers import PEERS, plain
from tests.bench.performance.processes import run, run_module, tree_memory
from tests.bench.performance.table import (
    ClipsDiffer,
    Cost,
    Row,
    Section,
    as_markdown,
    as_text,
    cells,
    largest_difference,
    median_cost,
)
from tests.real_data import ROOT


def test_costs_are_multiples_of_their_own_base() -> None:
    row = Row("command", Cost(10.0, 12.0, 900_000_000), Cost(2.0, 4.0, 1), 2e-7)
    assert cells(row) == ("command", "10.00 s", "12.00 s", "900 MB", "5.00", "3.00", "2.0e-07")


def test_what_was_not_measured_stays_empty() -> None:
    assert cells(Row("clips", Cost(0.5), Cost(0.1))) == ("clips", "500 ms", "", "", "5.00", "", "")
    assert cells(Row("nothing")) == ("nothing", "", "", "", "", "", "")


def test_medians_are_of_each_kind_and_memory_is_the_most() -> None:
    seen = Measured()
    seen.add("one", Cost(1, 5, 10))
    seen.add("one", {"seconds": 9, "processor": 4, "memory": 30})
    seen.add("one", Cost(2, 6, 20))
    assert seen.median("one") == Cost(2, 5, 30)
    assert median_cost([Cost(1), Cost(3)]) == Cost(2)


def test_the_largest_difference_is_of_any_metric_that_both_have() -> None:
    ours = {"a": [0.1, 0.2], "b": [1.0, 1.0], "mine": [9.0, 9.0]}
    assert largest_difference(ours, {"a": [0.1, 0.2], "b": [1.0, 0.75]}) == 0.25


@pytest.mark.parametrize(
    "theirs",
    [pytest.param({"b": [1.0]}, id="no metric"), pytest.param({"a": [1.0, 2.0]}, id="clips")],
)
def test_other_clips_are_not_compared(theirs: dict[str, list[float]]) -> None:
    with pytest.raises(ClipsDiffer):
        largest_difference({"a": [1.0]}, theirs)


@pytest.mark.parametrize("module", ["captions", "encoder", "peers", "processes", "table"])
def test_examples_hold(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"tests.bench.performance.{module}"))
    assert tried > 0
    assert failed == 0


def test_both_forms_of_the_table_have_every_row_and_note() -> None:
    sections = [Section("Peers", [Row("theirs", Cost(3.0)), Row("ours", Cost(1.0))], ["no Java"])]
    for shown in (as_text(sections), as_markdown(sections)):
        assert all(text in shown for text in ("Peers", "theirs", "3.00 s", "ours", "no Java"))
    rows = [line for line in as_markdown(sections).splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {8}


def test_operations_of_the_packaged_encoder() -> None:
    # 10.6 million weights meet each sub-word, twice as many operations.
    alone = encoder_operations([1], layers=6, width=384, inner=1536)
    assert alone == 2 * 6 * (4 * 384**2 + 2 * 384 * 1536) + 4 * 6 * 384
    # Attention is within a text: two texts take less than one that is as long as both.
    two, together = (
        encoder_operations(lengths, layers=6, width=384, inner=1536) for lengths in ([8, 8], [16])
    )
    assert together - two == 4 * 6 * 384 * (16**2 - 2 * 8**2)


def test_a_share_of_a_peak_is_of_operations_a_second() -> None:
    assert share_of_peak(5e12, 2, 10) == 0.25


def test_mixtures_are_new_captions_and_always_the_same() -> None:
    systems = [
        Candidates.single([f"{who} {number} meets another {who}" for number in range(20)])
        for who in ("dog", "fox", "seal")
    ]
    made = mixtures(systems, 3)
    assert made == mixtures(systems, 3)
    given = {text for one in systems for text in one.first}
    assert not given & {text for one in made for text in one.first}
    assert crossed("a b c d", "e f g") == "a b g"


def test_a_tenth_of_the_captions_is_changed() -> None:
    first = Candidates.single([f"rain {number} falls on roofs" for number in range(100)])
    other = Candidates.single([f"a dog {number} barks loudly" for number in range(100)])
    changed = with_a_tenth_changed(first, other)
    assert sum(a != b for a, b in zip(first.first, changed.first, strict=True)) == 10


def test_made_up_captions_do_not_repeat() -> None:
    candidates, references = made_up(3_000, 10)
    assert len(distinct(candidates.first, references.captions)) == 33_000


def test_groups_have_every_family_once() -> None:
    grouped = [family for families in GROUPS.values() for family in families]
    assert sorted(grouped) == sorted(standard_families())


def test_peers_are_asked_for_metrics_that_there_are() -> None:
    from scoring.registry import METRICS

    assert {name for peer in PEERS.values() for name in peer.metrics} <= METRICS.keys()


def test_scores_of_any_package_become_plain_numbers() -> None:
    import numpy as np

    found = plain({"a": np.array([0.5, 1], np.float32), "b": [1]})
    assert found == {"a": [0.5, 1.0], "b": [1.0]}
    assert all(type(score) is float for scores in found.values() for score in scores)


def test_a_cold_cache_has_only_packed_paraphrases(tmp_path: Path) -> None:
    (tmp_path / "bleu-1.npz").write_bytes(b"prepared")
    (tmp_path / "meteor-paraphrases-2-a.bin").write_bytes(b"packed")
    (tmp_path / "meteor-paraphrases-1-a").mkdir()
    (tmp_path / "meteor-paraphrases-1-a" / "runs.txt").write_bytes(b"packed")
    with cold_cache(tmp_path) as cold:
        names = sorted(path.relative_to(cold).as_posix() for path in cold.rglob("*.*"))
    assert names == ["meteor-paraphrases-1-a/runs.txt", "meteor-paraphrases-2-a.bin"]


def test_a_process_that_fails_ends_the_benchmark_with_its_words() -> None:
    with pytest.raises(SystemExit, match="no such thing"):
        run([sys.executable, "-c", "raise SystemExit('no such thing')"])


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Needs /proc (Linux)")
def test_memory_of_children_counts() -> None:
    child = "import time; kept = bytearray(b'1' * 120_000_000); time.sleep(60)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    alone = tree_memory(os.getpid())
    with subprocess.Popen([sys.executable, "-c", program], start_new_session=True) as started:
        try:
            while tree_memory(started.pid) < 120_000_000 and started.poll() is None:
                pass
            assert tree_memory(os.getpid()) >= alone + 100_000_000
        finally:
            os.killpg(started.pid, 9)


def test_a_stage_says_what_it_found_and_what_it_took() -> None:
    cost, found = run_module("tests.bench.performance.stages", "scale", "--families", "bleu",
                             "--clips", "3", "--references", "1")  # fmt: skip
    assert found["unavailable"] == {}
    assert 0 < found["score"]["seconds"] < cost.seconds
    assert (cost.memory or 0) > 0


def test_the_program_refuses_an_unknown_part() -> None:
    command = [sys.executable, "-m", "tests.bench.bench_performance", "--parts", "pears"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "no part 'pears'. Choose from: submission" in ended.stderr
