"""Where the real data and oracles lie, which are not part of the project."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The folder that EARMARK_TEST_DATA names, else the one beside the checkout; it may be absent.
REAL_DATA = Path(os.environ.get("EARMARK_TEST_DATA") or ROOT.parent / "shared" / "data").absolute()
