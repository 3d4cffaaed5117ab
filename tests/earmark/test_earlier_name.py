"""Programs that ``import scoring``, and commands of version 0.1, go on to work in a checkout."""

import importlib
import subprocess
import sys

import earmark
from tests.real_data import ROOT


def test_the_earlier_name_leads_to_the_very_same_modules() -> None:
    earlier = importlib.import_module("scoring.metrics.fense.metric")
    module = importlib.import_module("earmark.metrics.fense.metric")
    assert earlier is module
    assert module.__spec__ is not None
    assert module.__spec__.name == "earmark.metrics.fense.metric"
    assert importlib.import_module("scoring").score is earmark.score
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "--version"], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"earmark", earmark.__version__.encode()]
