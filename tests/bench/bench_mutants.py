"""Break the product on purpose, one place after the other, and name the test that notices.

    python -m tests.bench.bench_mutants [--only WORDS] [--from FOLDER]

``mutants.toml`` lists the places: a line of the product, what it becomes, and the folders of tests
whose promise it breaks. FOLDER is a checkout (default: this one) without uncommitted changes, so
that an earlier state of the tests can be asked, too; files are put back in any case.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.bench.output import say
from tests.real_data import ROOT

MUTANTS = Path(__file__).with_name("mutants.toml")


def noticed(checkout: Path, tests: list[str]) -> str:
    """The first test that fails, empty where none does."""
    there = [name for name in tests if (checkout / name).exists()]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "300",
        *there,
    ]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode and found is None:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return found[1] if found else ""


def main() -> None:
    """Try every mutant and say who noticed it."""
    parser = argparse.ArgumentParser(description="Which test notices which fault.")
    parser.add_argument("--only", default="", help="mutants whose name has these words")
    parser.add_argument("--from", dest="checkout", type=Path, default=ROOT)
    given = parser.parse_args()
    checkout: Path = given.checkout.resolve()
    changed = ["git", "-C", str(checkout), "status", "--porcelain", "--untracked-files=no"]
    if subprocess.run(changed, capture_output=True, text=True, check=True).stdout:
        raise SystemExit(f"{checkout} has uncommitted changes. Commit them first.")
    rows = [
        one for one in tomllib.loads(MUTANTS.read_text())["mutant"] if given.only in one["name"]
    ]
    say("| what is broken | file | noticed by |\n|---|---|---|")
    killed = 0
    for one in rows:
        path = checkout / one["file"]
        text = path.read_text(encoding="utf-8")
        if text.count(one["line"]) != 1:
            raise SystemExit(
                f"{one['name']}: {one['file']} has its line {text.count(one['line'])} times."
            )
        try:
            path.write_text(text.replace(one["line"], one["becomes"]), encoding="utf-8")
            test = noticed(checkout, one["tests"])
        finally:
            path.write_text(text, encoding="utf-8")
        killed += bool(test)
        say(f"| {one['name']} | {one['file']} | {test or '**nobody**'} |")
    say(f"\n{killed} of {len(rows)} noticed.")


if __name__ == "__main__":
    main()
