"""Where the benchmarks find real data."""

import argparse
import os
import sys
from pathlib import Path

from tests.real_data import REAL_DATA


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Add --data."""
    parser.add_argument(
        "--data",
        type=Path,
        default=REAL_DATA,
        help="folder of the real data (default: EARMARK_TEST_DATA, else ../shared/data)",
    )


def stop_without(path: Path) -> None:
    """End the program where the data are not on this machine: quietly, but with a fault in CI."""
    if not path.exists():
        sys.stdout.write(f"Not run: {path} is not there. Give the folder with --data.\n")
        raise SystemExit(os.environ.get("CI") == "true")
