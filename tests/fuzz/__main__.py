"""Fuzz every parser of what people hand in: ``python -m tests.fuzz [--inputs N] [--only NAME]``.

Each parser has a process of its own, which reads kept inputs and random changes of them. Ends
with 1 where there is a finding; its input is written to ``var/fuzz``.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

FOUND = Path("var/fuzz")
COLUMNS = "{:24} {:>9} {:>9} {:>9} {:>9} {:>11}"


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="for each parser")
    parser.add_argument("--only", action="append", metavar="NAME", help="a parser of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--told", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    if asked.told:
        asked.told.write_text(json.dumps(_fuzzed(asked.only[0], asked.inputs, asked.seed)))
        return 0
    _print("parser", "inputs", "taken", "refused", "findings", "slowest")
    return max([_fuzz(name, asked) for name in asked.only or _names()])


def _names() -> list[str]:
    import django

    django.setup()
    from tests.fuzz.parsers import PARSERS

    return [parser.name for parser in PARSERS]


def _fuzz(name: str, asked: argparse.Namespace) -> int:
    """Fuzz a parser in a process of its own, and print its line."""
    with tempfile.TemporaryDirectory() as folder:
        told, log = Path(folder) / "told.json", Path(folder) / "log"
        options = ["--only", name, "--inputs", str(asked.inputs), "--seed", str(asked.seed)]
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.fuzz",
            *options,
            "--told",
            str(told),
        ]
        with log.open("w") as lines:
            code = subprocess.run(command, stdout=lines, stderr=lines, check=False).returncode
        if code:
            _print(name, "", "", "", f"ended: {code}", "")
            sys.stdout.write(log.read_text(errors="replace")[-2000:])
            return 1
        found = json.loads(told.read_text())
    cells = (f"{found[key]:,}" for key in ("inputs", "taken", "refused", "findings"))
    _print(name, *cells, f"{1000 * found['slowest']:,.0f} ms")
    for finding in found["list"]:
        sys.stdout.write(f"    {finding}\n")
    return 1 if found["list"] else 0


def _fuzzed(name: str, inputs: int, seed: int) -> dict[str, Any]:
    """What came of fuzzing a parser in this process."""
    import django

    django.setup()
    from tests.fuzz.campaign import Campaign, run_random
    from tests.fuzz.parsers import PARSERS

    signal.signal(signal.SIGPROF, _stuck)
    campaign = Campaign(next(parser for parser in PARSERS if parser.name == name))
    campaign.measure_good()
    run_random(campaign, inputs, seed)
    found = [
        f"{finding.what} ({finding.place}): {finding.kept_in(FOUND / name)}"
        for finding in campaign.findings.values()
    ]
    counts = {key: campaign.counts[key] for key in ("taken", "refused", "findings")}
    return {**counts, "inputs": campaign.inputs, "slowest": campaign.slowest, "list": found}


def _stuck(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError("It was stuck.")


def _print(*cells: str) -> None:
    sys.stdout.write(COLUMNS.format(*cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
