"""The scorer keeps to itself: light to import, offline, writing its cache alone.

And each clip keeps to itself: its scores do not depend on the order or the company of the others.
"""

import gzip
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.pipeline import score_family
from earmark.registry import metrics_for, standard_families
from earmark.results import MetricScore
from earmark.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    *("torch", "transformers", "sentence_transformers", "huggingface_hub", "spacy", "nltk"),
    *("scipy", "sklearn", "pandas", "django", "celery", "redis", "pycocoevalcap"),
}
# Networks and their training are loaded when a metric or a command first needs them.
ON_DEMAND = re.compile(
    r"earmark[.](__main__|train[.]|models[.](bert$|\w+[.])|hugging_face[.]earmark|torch_metric$)"
)
MODULES = [
    name
    for path in sorted((ROOT / "earmark").rglob("*.py"))
    if not ON_DEMAND.match(name := ".".join(path.relative_to(ROOT).with_suffix("").parts))
]

SUBJECTS = ("A dog", "Two men", "An engine", "A crowd of people")
SOUNDS = (
    "barks",
    "is talking loudly",
    "runs",
    "cheers",
)
CAPTIONS = [f"{subject} {sound}" for subject in SUBJECTS for sound in SOUNDS]
PAIRS = (("is talking", "speaks"), ("engine", "motor"), ("crowd of people", "crowd"))
# CIDEr-D weighs words by how many clips of the corpus have them, so its corpus is part of it
# and of what is made of it.
ALONE = [name for name in standard_families() if name not in {"cider_d", "spider", "spider_fl"}]
TOLERANCE = 1e-5
# What reads several captions at a time.
BATCHED = (
    "earmark.text.parse._BATCH",
    "earmark.text.parser._BATCH",
    "earmark.models.fluency.detector._BATCH",
    "earmark.models.bert.CPU_ROWS",
)
LEXICAL = {"bleu", "rouge_l", "meteor", "cider_d", "vocab"}


def test_no_module_loads_a_model_library_or_the_site() -> None:
    code = (
        f"import importlib, sys; [importlib.import_module(name) for name in {MODULES!r}];"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "earmark.metrics.sbert.metric" in MODULES
    assert run.stdout.strip() == "[]"


def test_signatures_of_all_metrics_load_no_model_library() -> None:
    """Pages and queues ask for them."""
    code = (
        "import sys; from earmark.registry import load_family, standard_families;"
        "[load_family(name).parameters for name in standard_families()];"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Make every folder that a process may think of writing to, all empty."""
    base = tmp_path_factory.mktemp("isolated")
    places = {name: base / name for name in ("home", "here", "tmp", "cache")}
    for path in places.values():
        path.mkdir()
    return places


@pytest.fixture(scope="module")
def report(places: dict[str, Path]) -> dict[str, Any]:
    """Score with every metric in a process without a network, and take its report.

    The environment says nothing about being offline.
    """
    run = subprocess.run(
        [sys.executable, "-B", "-m", "tests.earmark.isolated_run", str(places["cache"])],
        cwd=places["here"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(places["home"]),
            "TMPDIR": str(places["tmp"]),
            # As the command and the site have it: threads that wait awake cost as much again.
            "OMP_WAIT_POLICY": "PASSIVE",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_every_metric_works_without_a_network(report: dict[str, Any]) -> None:
    assert report["unavailable"] == {}
    assert list(report["values"]) == list(metrics_for(several=False))
    assert report["calls"] == []


def test_only_the_cache_is_written(report: dict[str, Any], places: dict[str, Path]) -> None:
    # Importing torch makes an empty folder among the temporary files, and Python tries whether
    # it can write there; no file stays.
    elsewhere = [line for line in report["changes"] if str(places["tmp"]) not in line]
    assert elsewhere == []
    assert [path for path in places["tmp"].rglob("*") if not path.is_dir()] == []
    assert [*places["home"].iterdir(), *places["here"].iterdir()] == []
    written = [path.name for path in places["cache"].iterdir()]
    assert sum(name.startswith("meteor-paraphrases-") for name in written) == 1
    # What these use of references, others prepare.
    joined = {"spider", "spider_fl", "fense", "earmark", "spice_plus_emb_fl"}
    assert {name.partition("-")[0] for name in written} == set(standard_families()) - joined


@pytest.fixture(autouse=True)
def _few_paraphrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten METEOR's table, which takes seconds to pack, to a few of its pairs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "pairs.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.1\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in PAIRS)
    monkeypatch.setattr("earmark.metrics.meteor.paraphrases.paraphrase_path", lambda: path)


def run(name: str, clips: list[int], *, others_say: str | None = None) -> dict[str, MetricScore]:
    """Score these clips by a family; ``others_say`` replaces all candidates but the first."""
    references = References.build((f"{i}.wav", references_of(i)) for i in clips)
    said = [candidate_of(i) for i in clips]
    if others_say is not None:
        said[1:] = [others_say] * (len(said) - 1)
    return score_family(name, Candidates.single(said), references, Workspace(device="cpu"))


@cache
def whole(name: str) -> dict[str, MetricScore]:
    """Scores of all clips as they stand, which every test of a family compares with."""
    return run(name, list(range(len(CAPTIONS))))


def assert_close(ours: object, expected: object) -> None:
    """Compare values per clip; a clip without a value has none on both sides."""
    np.testing.assert_allclose(np.asarray(ours), np.asarray(expected), rtol=0, atol=TOLERANCE)


def references_of(clip: int) -> list[str]:
    """One to three captions, close to the clip's own."""
    around = [CAPTIONS[(clip + step) % len(CAPTIONS)] for step in (0, 1, 3)]
    return [f"{caption}." for caption in around[: 1 + clip % 3]]


def candidate_of(clip: int) -> str:
    """The clip's own caption in other words, some of them broken off."""
    caption = CAPTIONS[clip].lower().replace("is talking", "speaks").replace("engine", "motor")
    return caption if clip % 4 else f"{caption} and a"


@pytest.mark.parametrize("name", standard_families())
def test_order_of_the_clips_does_not_matter(name: str) -> None:
    straight = list(range(len(CAPTIONS)))
    order = Random(7).sample(straight, len(straight))
    mixed = run(name, order)
    for metric, result in whole(name).items():
        expected = result.per_clip[order]
        assert len(set(expected.tolist())) > 1
        assert_close(mixed[metric].per_clip, expected)
        assert mixed[metric].value == pytest.approx(result.value, abs=TOLERANCE)


@pytest.mark.parametrize("name", standard_families())
def test_what_is_said_of_other_clips_does_not_matter(name: str) -> None:
    clips = list(range(len(CAPTIONS)))
    other = run(name, clips, others_say="A cat meows and a door slams shut, twice")
    for metric, result in whole(name).items():
        assert_close(other[metric].per_clip[0], result.per_clip[0])
        assert not np.allclose(other[metric].per_clip[1:], result.per_clip[1:], atol=TOLERANCE)


@pytest.mark.parametrize("name", ALONE)
def test_a_clip_alone_scores_the_same(name: str) -> None:
    together = whole(name)
    for clip in (0, 5, 10):
        for metric, result in run(name, [clip]).items():
            expected = together[metric].per_clip[clip]
            assert_close(result.per_clip[0], expected)


@pytest.mark.parametrize("name", [name for name in standard_families() if name not in LEXICAL])
def test_the_size_of_batches_does_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clips = list(range(len(CAPTIONS)))
    usual = whole(name)
    for size in BATCHED:
        monkeypatch.setattr(size, 3)
    for metric, result in run(name, clips).items():
        assert_close(result.per_clip, usual[metric].per_clip)
