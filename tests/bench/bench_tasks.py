"""Six tasks of a researcher with Earmark and beside it: docs/measurements/tasks.md.

    make bench-peers    # once: the other packages, apart from all else
    python -m tests.bench.bench_tasks [--write]

Runs each way of ``tasks.toml`` in a process of its own, from its start to its end, and prints lines
and seconds, the median of three.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from statistics import median
from typing import Any

from earmark import score
from earmark.models.encoder import find_encoder
from tests.bench.data import stop_without
from tests.bench.performance.captions import references_file
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.corpora import SYSTEMS, published
from tests.real_data import ROOT

WAYS = Path(__file__).with_name("tasks.toml")
PEERS = ROOT / "var" / "bench-peers" / "bin" / "python"
TIMES, RANKS = 3, 2
# What is there before a task begins; msclap is needed by metrics alone that listen.
BEGIN = """
import json, sys
from types import ModuleType
sys.modules["msclap"] = ModuleType("msclap")
sys.modules["msclap"].CLAP = None
given = json.load(open("given.json"))
captions, other, references = given["captions"], given["other"], given["references"]
model = given["model"]
"""
RANK = """
from torch import distributed
rank = int(sys.argv[1])
meeting = "file://" + given["meeting"]
distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
batch, told = captions[rank::2], references[rank::2]
"""


def main() -> None:
    """Read the command line, run every way, and tell."""
    options = arguments(__doc__).parse_args()
    stop_without(references_file(options.data))
    stop_without(PEERS)
    ways: dict[str, Any] = tomllib.loads(WAYS.read_text(encoding="utf-8"))
    tasks = ways.pop("tasks")
    with tempfile.TemporaryDirectory() as folder:
        candidates, references = published(options.data, SYSTEMS[0])
        given: dict[str, Any] = {
            "captions": candidates.first,
            "other": published(options.data, SYSTEMS[1])[0].first,
            "references": [clip.references for clip in references.clips],
            "model": str(find_encoder().folder),
            "meeting": f"{folder}/meeting",
        }
        (Path(folder) / "given.json").write_text(json.dumps(given))
        rows = [
            (what, *(cell(Path(folder), task, package[task]) for package in ways.values()))
            for task, what in tasks.items()
        ]
    metrics = [(name, package["metric"]) for name, package in ways.items()]
    ours = score(given["captions"], given["references"], "cider_d").signatures["cider_d"]
    tables = {
        "tasks": table(("", *ways), rows),
        "metrics": table(("", "by"), metrics),
        "signatures": indented([ours]),
    }
    tell({f"bench_tasks: {name}": text for name, text in tables.items()}, write=options.write)


def cell(folder: Path, task: str, way: str | dict[str, str]) -> str:
    """Lines and seconds of a way, or why there is none."""
    if not isinstance(way, str):
        return f"no: {way['lacks']}"
    program = BEGIN + (RANK if task == "ranks" else "") + way
    seconds = median(run(folder, program, task) for _ in range(TIMES))
    lines = len(way.strip().splitlines())
    return f"{lines} {'line' if lines == 1 else 'lines'}, {seconds:.1f} s"


def run(folder: Path, program: str, task: str) -> float:
    """Seconds of a program, or of both ranks of one."""
    (folder / "meeting").unlink(missing_ok=True)
    began = time.perf_counter()
    processes = [
        subprocess.Popen(
            [PEERS, "-c", program, str(rank)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for rank in range(RANKS if task == "ranks" else 1)
    ]
    errors = [process.communicate()[1].decode() for process in processes]
    if any(process.returncode for process in processes):
        sys.exit(f"{task} failed:\n{program}\n{''.join(errors)}")
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
