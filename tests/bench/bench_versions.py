"""Score captions with other versions of torch and its like: in docs/measurements/parity.md.

    make bench-versions

installs the lowest and the newest versions that pyproject.toml allows, apart from all else; then

    python -m tests.bench.bench_versions [--write] ENVIRONMENT ...

which scores a published system with every metric here and by the interpreter of each
environment, and tells the largest difference of any value: of the corpus, of a clip. It fails
where one is above 1e-5, a metric is missing, or a clip has a value on one side alone.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.data import stop_without
from tests.bench.performance.captions import references_file
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.corpora import SYSTEMS
from tests.real_data import ROOT

PACKAGES = ("torch", "numpy", "scipy", "transformers", "sentence-transformers", "spacy")
VERSIONS = "from importlib.metadata import version; print(*map(version, {!r}))"
AT_MOST = 1e-5
HEAD = ("", *PACKAGES, "metrics", "largest difference", "of")


def main() -> None:
    """Read the command line, score in each environment, and tell."""
    parser = arguments(__doc__)
    parser.add_argument("environments", nargs="+", type=Path, metavar="ENVIRONMENT")
    options = parser.parse_args()
    stop_without(references_file(options.data))
    ours, signatures = values(sys.executable, options.data)
    faults, rows = [], [("requirements.txt", *versions(sys.executable), str(len(ours)), "", "")]
    for environment in options.environments:
        python = str(environment.absolute() / "bin" / "python")
        theirs, _ = values(python, options.data)
        missing = sorted(ours.keys() ^ theirs.keys())
        largest, metric = max(
            (difference(ours[name], theirs[name]), name) for name in ours.keys() & theirs.keys()
        )
        metric = metric if largest else ""
        told = f"{metric}, without {', '.join(missing)}" if missing else metric
        row = (environment.name, *versions(python), str(len(theirs)), f"{largest:.1e}", told)
        rows.append(row)
        if missing or largest > AT_MOST:
            faults.append(f"{environment.name}: {largest:.1e} of {told}")
    tables = {"versions": table(HEAD, rows), "signatures": indented(signatures)}
    tell({f"bench_versions: {name}": text for name, text in tables.items()}, write=options.write)
    sys.exit("\n".join(faults) or 0)


def difference(ours: Any, theirs: Any) -> float:
    """The largest of any value; infinite where one side alone has a value."""
    if (np.isnan(ours) != np.isnan(theirs)).any():
        return np.inf
    return float(np.nanmax(np.abs(ours - theirs)))


def versions(python: str) -> list[str]:
    """Versions of the packages that numbers could depend on."""
    command = [python, "-c", VERSIONS.format(PACKAGES)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def values(python: str, data: Path) -> tuple[dict[str, Any], list[str]]:
    """By metric the value of the corpus, then that of each clip; and all signatures."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        command = [python, "-m", "earmark", "score", "--device", "cpu", "--cache", folder]
        command += ["--references", str(references_file(data))]
        command += ["--candidates", str(data / "systems" / f"{SYSTEMS[-1]}.csv")]
        command += ["--json", str(out / "all.json"), "--details", str(out / "clips.jsonl")]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        corpus = json.loads((out / "all.json").read_text())["metrics"]
        clips = [json.loads(line)["metrics"] for line in (out / "clips.jsonl").open()]
    signatures = [found["signature"] for found in corpus.values()]
    return {
        name: np.array(
            [found["value"], *(np.nan if clip[name] is None else clip[name] for clip in clips)]
        )
        for name, found in corpus.items()
    }, signatures


if __name__ == "__main__":
    main()
