"""Time the lexical metrics beside pycocoevalcap on Java, in one run on this machine.

    python -m tests.bench.bench_lexical

Scores one system on Clotho evaluation (by default the DCASE 2023 baseline, 1,045 clips) with
bleu, rouge_l, meteor and cider_d, every repetition in a fresh process, and writes the median of:

- from tokens: the four metrics alone, on captions that are tokenised already. pycocoevalcap: Bleu,
  Rouge, Meteor, Cider, with the start of METEOR's Java. Earmark: the same metrics with their
  intervals, with the prepared references read from the cache (warm) or prepared anew (cold), and
  METEOR's paraphrases packed before.
- end to end: the whole process, from the start of Python to its exit: imports, reading and
  checking both files, tokenising, scoring. Both sides read the files with Earmark's readers.
- processor time: the same, as seconds of processor time, Java's included. It depends least on what
  else the machine does.

Then the largest difference of any clip between the two programs. Without Java only Earmark is
timed.

    python -m tests.bench.bench_lexical --meteor

takes METEOR apart instead, in one process: processor time of packing the paraphrase table, of
opening it and of preparing and scoring with it, and what lies on the disk.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from earmark.captions import Candidates, References, read_candidates, read_references
from tests.bench.coco import METRICS, java_version
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.real_data import ROOT

SYSTEM = "systems/dcase2023_baseline.csv"
CLOTHO = "clotho/clotho_captions_evaluation.csv"
COCO, WARM, COLD = "pycocoevalcap", "Earmark, warm cache", "Earmark, cold cache"


@dataclass(frozen=True)
class Files:
    """What is scored."""

    candidates: Path
    references: Path


@dataclass(frozen=True)
class Timing:
    """Seconds of one repetition, and the scores per clip."""

    from_tokens: float
    end_to_end: float
    processor: float
    per_clip: dict[str, list[float]]


def read_sides(files: Files) -> tuple[Candidates, References]:
    """Read both files."""
    references = read_references(files.references.read_bytes()).value
    if references is None:
        raise SystemExit(f"{files.references} has faults; see python -m earmark validate")
    candidates = read_candidates(files.candidates.read_bytes(), references).value
    if candidates is None:
        raise SystemExit(f"{files.candidates} has faults; see python -m earmark validate")
    return candidates, references


def score_once(side: str, files: Files, cache: Path) -> dict[str, object]:
    """Score in this process; give the seconds from tokens and the scores per clip."""
    candidates, references = read_sides(files)
    if side == COCO:
        from tests.bench.coco import both_tokens, coco_scores

        said, told = both_tokens(candidates, references)
        started = time.perf_counter()
        scores = coco_scores(said, told)
        return {"from_tokens": time.perf_counter() - started, "per_clip": scores}
    from earmark.pipeline import score
    from earmark.workspace import Workspace

    workspace = Workspace(cache_dir=cache)
    # With a warm cache the references' tokens are in it.
    workspace.tokens([*candidates.first, *(references.captions if side == COLD else ())])
    started = time.perf_counter()
    found = score(candidates, references, METRICS, workspace).results
    took = time.perf_counter() - started
    per_clip = {name: result.per_clip.astype(float).tolist() for name, result in found.items()}
    return {"from_tokens": took, "per_clip": per_clip}


def time_once(side: str, files: Files, cache: Path, folder: Path) -> Timing:
    """Score in a fresh process and time the whole of it."""
    out = folder / "scores.json"
    command = [sys.executable, "-m", "tests.bench.bench_lexical", "--side", side]
    command += ["--candidates", str(files.candidates), "--references", str(files.references)]
    command += ["--cache", str(cache), "--out", str(out)]
    before, started = _processor_seconds(), time.perf_counter()
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    took = time.perf_counter() - started
    if run.returncode:
        raise SystemExit(f"{side} failed:\n{run.stderr}")
    found = json.loads(out.read_text())
    used = _processor_seconds() - before
    return Timing(found["from_tokens"], took, used, found["per_clip"])


def _processor_seconds() -> float:
    """The processor time of all processes that this one started and saw end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_all(sides: list[str], files: Files, repetitions: int) -> dict[str, list[Timing]]:
    """Time every side in turn, again and again, so that all meet the same machine."""
    times: dict[str, list[Timing]] = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        time_once(WARM, files, folder / "warm", folder)  # fills the cache; not counted
        for repetition in range(repetitions):
            for side in sides:
                cache = folder / ("warm" if side == WARM else f"cold-{repetition}")
                cache.mkdir(exist_ok=True)
                if side == COLD:
                    # Packed once per machine, whatever the references.
                    for path in (folder / "warm").glob("meteor-paraphrases-*"):
                        (cache / path.name).hardlink_to(path)
                times[side].append(time_once(side, files, cache, folder))
    return times


def report(times: dict[str, list[Timing]]) -> str:
    """Write medians, ratios and the largest differences as Markdown tables."""
    lines = ["| | from tokens | end to end | processor time |", "|---|---|---|---|"]
    medians = {
        side: [
            statistics.median(timing.from_tokens for timing in found),
            statistics.median(timing.end_to_end for timing in found),
            statistics.median(timing.processor for timing in found),
        ]
        for side, found in times.items()
    }
    for side, seconds in medians.items():
        shown = " | ".join(f"{each:.2f} s" for each in seconds)
        lines.append(f"| {side} | {shown} |")
    if COCO not in times:
        return "\n".join([*lines, "", "No Java here, so pycocoevalcap was not timed."])
    for side in (WARM, COLD):
        both = zip(medians[side], medians[COCO], strict=True)
        shown = " | ".join(f"{ours / theirs:.3f}" for ours, theirs in both)
        lines.append(f"| {side}: share of pycocoevalcap's time | {shown} |")
    lines += ["", "| metric | largest difference of a clip |", "|---|---|"]
    ours, theirs = times[WARM][0].per_clip, times[COCO][0].per_clip
    for name in METRICS:
        pairs = zip(ours[name], theirs[name], strict=True)
        lines.append(f"| {name} | {max(abs(a - b) for a, b in pairs):.1e} |")
    return "\n".join(lines)


def report_meteor(files: Files) -> None:
    """Print what METEOR's steps take, and bytes on the disk."""
    from earmark.metrics.meteor import paraphrases
    from earmark.metrics.meteor.lexicon import load_lexicon
    from earmark.metrics.meteor.metric import Meteor
    from earmark.pipeline import score_family
    from earmark.workspace import Workspace

    candidates, references = read_sides(files)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with clocked("table packed, once per machine"):
            paraphrases.paraphrase_table(folder)
        paraphrases._open_tables.clear()
        with clocked("table opened, once per process"):
            paraphrases.paraphrase_table(folder)
        with clocked("word lists read, once per process"):
            load_lexicon()
        workspace = Workspace(cache_dir=folder)
        with clocked(f"{len(references.captions):,} references tokenised"):
            workspace.tokens(references.captions)
        with clocked("the same prepared"):
            prepared = Meteor().prepare(references, workspace)
        with clocked("the same written and read"):
            again = Meteor().load(Meteor().dump(prepared))
            again.matcher(folder)
        workspace.tokens(candidates.first)
        for _ in range(2):
            with clocked(f"{len(candidates):,} captions scored, tokenised before"):
                Meteor().score(candidates, references, prepared, workspace)
        score_family("meteor", candidates, references, workspace)
        rows = [
            (Candidates.single([caption]), References((clip,)))
            for caption, clip in zip(candidates.first, references.clips, strict=True)
        ]
        ready = [Meteor().prepare(one, workspace) for _, one in rows[:200]]
        with clocked("200 captions scored one by one, references prepared"):
            for (said, told), one in zip(rows[:200], ready, strict=True):
                Meteor().score(said, told, one, workspace)
        for path in sorted(folder.iterdir()):
            say(f"{path.name[:24]:60} {path.stat().st_size / 1e6:8.1f} MB")


@contextmanager
def clocked(name: str) -> Iterator[None]:
    """Print the processor's seconds within."""
    begun = time.process_time()
    yield
    say(f"{name:60} {time.process_time() - begun:8.3f} s")


def main() -> None:
    """Time and report, or be one of the timed processes."""
    parser = argparse.ArgumentParser(description="Time the lexical metrics beside pycocoevalcap.")
    add_data_argument(parser)
    parser.add_argument("--candidates", type=Path, help=f"default: {SYSTEM} among the data")
    parser.add_argument("--references", type=Path, help=f"default: {CLOTHO} among the data")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--meteor", action="store_true", help="take METEOR apart")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    files = Files(
        (parsed.candidates or parsed.data / SYSTEM).resolve(),
        (parsed.references or parsed.data / CLOTHO).resolve(),
    )
    if parsed.side is not None:
        parsed.out.write_text(json.dumps(score_once(parsed.side, files, parsed.cache)))
        return
    stop_without(files.candidates)
    stop_without(files.references)
    if parsed.meteor:
        report_meteor(files)
        return
    java = java_version()
    sys.stdout.write(
        f"{files.candidates.name}; medians of {parsed.repetitions} repetitions; {os.cpu_count()}"
        f" cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()};"
        f" {java or 'no Java'}\n\n"
    )
    sys.stdout.flush()
    sides = [WARM, COLD] if java is None else [COCO, WARM, COLD]
    sys.stdout.write(report(time_all(sides, files, parsed.repetitions)) + "\n")


if __name__ == "__main__":
    main()
