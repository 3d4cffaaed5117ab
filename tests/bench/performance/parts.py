"""The parts of the table: each starts its processes again and again and sums up what they took."""

import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.performance.captions import references_file, system_file
from tests.bench.performance.encoder import rate, share_of_peak
from tests.bench.performance.processes import run, run_module
from tests.bench.performance.table import (
    Cost,
    Row,
    Section,
    duration,
    largest_difference,
    median_cost,
)

STAGES = "tests.bench.performance.stages"
PEERS = "tests.bench.performance.peers"
PARAPHRASES = "meteor-paraphrases-*"
_SUBMISSION_NOTES = (
    "every metric with intervals and details",
    "a command is a process from start to end; a worker has scored another system before",
    "METEOR's paraphrases are packed once per machine: before all of this",
)
GROUPS = {
    "n-grams": ("bleu", "rouge_l", "cider_d", "vocab"),
    "METEOR": ("meteor",),
    "parses": ("spice", "spider", "cb", "spice_plus", "sbf"),
    "encoder": ("sbert", "bert_score", "spice_plus_emb"),
    "detector and labeller": (
        *("fluency", "fense", "spider_fl", "spice_plus_emb_fl", "aces", "earmark"),
    ),
}


@dataclass(slots=True)
class Measured:
    """What was seen of each thing, run after run."""

    costs: dict[str, list[Cost]] = field(default_factory=dict)

    def add(self, name: str, cost: Cost | Mapping[str, Any]) -> None:
        """Note a cost, which may come from another process's JSON."""
        seen = cost if isinstance(cost, Cost) else Cost(**cost)
        self.costs.setdefault(name, []).append(seen)

    def median(self, name: str) -> Cost:
        """Median cost of a thing."""
        return median_cost(self.costs[name])


def submission(options: Namespace, prepared: Path) -> tuple[Section, Cost]:
    """Every metric of one system: by the command and in a worker; and the cost of ``encode``.

    ``prepared`` is a cache folder, which is filled. The second result is what ``encode`` takes
    for all captions and references.
    """
    tell("references are prepared (not timed)")
    _command(options, prepared)
    seen, told = Measured(), {}
    for _ in rounds(options.repeats, "one submission"):
        _, encoded = _stage(options, "encode", "cpu")
        seen.add("encode", encoded["captions"])
        seen.add("encode all", encoded["all"])
        told = encoded["counts"]
        seen.add("command", _command(options, prepared))
        with cold_cache(prepared) as cache:
            seen.add("cold", _command(options, cache))
        _worker(options, prepared, "cpu", seen)
    base, whole = seen.median("encode"), seen.median("encode all")
    rows = [
        Row(f"encode, {told[0]:,} distinct captions", base, base),
        Row("command, references prepared", seen.median("command"), base),
        Row("worker, references prepared", seen.median("one"), base),
        Row("worker, a tenth of the captions changed", seen.median("again"), base),
        Row("worker, its first submission", seen.median("before"), base),
        Row(f"encode, {told[1]:,} distinct captions and references", whole, whole),
        Row("command, nothing prepared", seen.median("cold"), whole),
    ]
    notes = list(_SUBMISSION_NOTES)
    return Section("One system of Clotho evaluation, every metric", rows, notes), whole


def encoder(options: Namespace, whole: Cost) -> Section:
    """Our own forward pass beside ``encode``, and the operations a second that it reaches."""
    seen = Measured()
    for _ in rounds(options.repeats, "the encoder alone"):
        _, found = _stage(options, "encoder", "cpu")
        seen.add("all", found["all"])
    cost = seen.median("all")
    note = (
        f"{found['sub_words']:,} sub-words, {found['operations'] / 1e9:.0f} GFLOP:"
        f" {rate(found['operations'], cost.seconds)} on the clock,"
        f" {rate(found['operations'], cost.processor or cost.seconds)} of each processor."
    )
    return Section(
        "The packaged encoder", [Row("captions and references, one pass", cost, whole)], [note]
    )


def one(options: Namespace, families: Sequence[str]) -> Section:
    """One caption against its references, and 64, warm on one core."""
    tell("one caption, and 64")
    cost, found = run_module(STAGES, "one", "--families", ",".join(families))
    encode = found["encode"]
    rows = [
        Row(f"{name}, {words}", Cost(took[key]), Cost(encode[key]))
        for key, words in (("one", "one caption"), ("batch", "64 captions"))
        for name, took in found.items()
    ]
    note = (
        "Five references a clip, 1,045 clips, made-up captions that are never the same twice; a"
        f" process of one core, at most {(cost.memory or 0) / 1e6:,.0f} MB."
    )
    return Section("Captions in a training loop", rows, [note])


def peers(options: Namespace, prepared: Path, whole: Cost) -> Section:
    """Other packages, and the same metrics by Earmark, each a process from start to end."""
    from tests.bench.performance import peers as other

    python = str(options.peers_python)
    _, missing = run_module(PEERS, "missing", python=python)
    section = Section("Other packages, the same captions, nothing prepared")
    for name, peer in other.PEERS.items():
        if name in missing:
            install = "install Java" if name == "pycocoevalcap" else "make bench-peers"
            section.notes.append(f"{name} is left out: it is not there ({install}).")
            continue
        seen, calls, scores = Measured(), Measured(), {}
        for _ in rounds(options.repeats, name):
            for side in ("theirs", "ours"):
                with cold_cache(prepared) as cache:
                    cost, found = run_module(
                        PEERS, name, side, "--data", str(options.data), "--cache", str(cache),
                        python=python if side == "theirs" else sys.executable,
                    )  # fmt: skip
                seen.add(side, cost)
                calls.add(side, found["call"])
                scores[side] = found["per_clip"]
        apart = largest_difference(scores["ours"], scores["theirs"])
        section.rows += [
            Row(f"{name}: {other.listed(peer.metrics)}", seen.median("theirs"), whole),
            Row("Earmark, the same metrics with intervals", seen.median("ours"), whole, apart),
        ]
        theirs, ours = (duration(calls.median(side).seconds) for side in ("theirs", "ours"))
        left = f" Left out: {peer.left_out}." if peer.left_out else ""
        loaded = ", encoder loaded" if peer.loaded else ""
        section.notes.append(f"{name}, the call alone{loaded}: {theirs}, Earmark's {ours}.{left}")
    return section


def card(options: Namespace, prepared: Path) -> Section:
    """The same in a worker with a graphics card, and the encoder's share of the card's peak."""
    section = Section("On a graphics card")
    _, found = run_module(STAGES, "card")
    if found["name"] is None:
        section.notes.append("Missing: this machine has no CUDA device.")
        return section
    seen = Measured()
    for _ in rounds(options.repeats, "the graphics card"):
        _, encoded = _stage(options, "encode", "cuda")
        seen.add("encode", encoded["captions"])
        _, passed = _stage(options, "encoder", "cuda")
        seen.add("encoder", passed["all"])
        _worker(options, prepared, "cuda", seen)
    base = seen.median("encode")
    rows = (("encode", "encode"), ("worker, references prepared", "one"),
            ("the encoder, captions and references", "encoder"))  # fmt: skip
    section.rows = [Row(name, seen.median(key), base) for name, key in rows]
    seconds = seen.median("encoder").seconds
    share = (
        f"{share_of_peak(passed['operations'], seconds, options.peak_tflops):.1%} of the card's"
        f" {options.peak_tflops:g} TFLOP/s"
        if options.peak_tflops
        else "its share of the card's peak needs --peak-tflops"
    )
    section.notes.append(f"{found['name']}: {rate(passed['operations'], seconds)}, {share}.")
    return section


def scale(options: Namespace) -> Section:
    """Groups of metrics over more and more clips and references, nothing prepared."""
    sizes = [(1_000, 1), (1_000, 5), (1_000, 10), (10_000, 5)]
    sizes += [(100_000, 5)] if options.huge else []
    section = Section("By clips and references, nothing prepared")
    for group, families in GROUPS.items():
        for count, references in sizes:
            tell(f"{group}, {count:,} clips, {references} references")
            with TemporaryDirectory() as cache:
                cost, found = run_module(
                    STAGES, "scale", "--families", ",".join(families), "--cache", cache,
                    "--clips", str(count), "--references", str(references),
                )  # fmt: skip
            if found["unavailable"]:
                raise SystemExit(f"Unavailable: {found['unavailable']}")
            took = replace(Cost(**found["score"]), memory=cost.memory)
            section.rows.append(Row(f"{group}, {count:,} clips x {references}", took))
    section.notes.append(
        "Made-up captions; time of the scoring, without the start of the process, with METEOR's"
        " packing of its paraphrases. Details are left out."
    )
    return section


def rounds(count: int, name: str) -> Iterator[int]:
    """Numbers of runs, each told."""
    for number in range(1, count + 1):
        tell(f"{name}: run {number} of {count}")
        yield number


def tell(line: str) -> None:
    """Say on standard error what is going on."""
    sys.stderr.write(f"... {line}\n")
    sys.stderr.flush()


@contextmanager
def cold_cache(prepared: Path) -> Iterator[Path]:
    """A cache folder with nothing but METEOR's packed paraphrases, as on a machine in use."""
    with TemporaryDirectory() as name:
        for path in prepared.glob(PARAPHRASES):
            if path.is_dir():
                shutil.copytree(path, Path(name) / path.name)
            else:
                shutil.copy(path, name)
        yield Path(name)


def _command(options: Namespace, cache: Path) -> Cost:
    with TemporaryDirectory() as out:
        return run(
            [
                *(sys.executable, "-m", "earmark", "score", "--metrics", "all", "--device", "cpu"),
                *("--references", str(references_file(options.data))),
                *("--candidates", str(system_file(options.data))),
                *("--details", f"{out}/details.jsonl", "--json", f"{out}/scores.json"),
                *("--cache", str(cache)),
            ]
        )


def _stage(options: Namespace, name: str, device: str, *more: str) -> tuple[Cost, Any]:
    return run_module(STAGES, name, "--data", str(options.data), "--device", device, *more)


def _worker(options: Namespace, prepared: Path, device: str, seen: Measured) -> None:
    _, found = run_module(
        STAGES, "worker", "--data", str(options.data),
        environment={"EARMARK_CACHE": str(prepared), "EARMARK_DEVICE": device},
    )  # fmt: skip
    for key, cost in found.items():
        seen.add(key, cost)
