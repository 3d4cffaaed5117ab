"""What is timed inside a process of its own, which ``tests.bench.performance.parts`` starts.

Each stage writes JSON: costs by name, and numbers.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from earmark.runtime import share_memory_pools
from tests.bench.performance.captions import (
    BEFORE,
    OTHER,
    TIMED,
    distinct,
    made_up,
    with_a_tenth_changed,
)
from tests.bench.performance.processes import Clock, use_processors

WARM_UP = 64
Found = Mapping[str, Any]


def encode(options: argparse.Namespace) -> Found:
    """sentence-transformers' ``encode``, its model loaded and warm."""
    from sentence_transformers import SentenceTransformer

    from earmark.models.encoder import find_encoder
    from tests.earmark.corpora import published

    candidates, references = published(options.data, TIMED)
    model = SentenceTransformer(str(find_encoder().folder), device=options.device)
    texts = distinct(candidates.first, references.captions)
    model.encode(texts[-WARM_UP:], show_progress_bar=False)
    return {
        "captions": _timed(lambda: model.encode(distinct(candidates.first))),
        "all": _timed(lambda: model.encode(texts)),
        "counts": [len(distinct(candidates.first)), len(texts)],
    }


def encoder(options: argparse.Namespace) -> Found:
    """Our own forward pass over the same texts, with its operations."""
    from earmark.models.encoder import find_encoder, load_encoder
    from tests.bench.performance.encoder import encoder_operations
    from tests.earmark.corpora import published

    candidates, references = published(options.data, TIMED)
    texts = distinct(candidates.first, references.captions)
    folder = find_encoder().folder
    model = load_encoder(find_encoder(), options.device)
    # A card is slow until it has seen every shape.
    warm = texts if options.device == "cuda" else texts[-WARM_UP:]
    list(model.encoded(warm))
    lengths: list[int] = []

    def run() -> None:
        for batch in model.encoded(texts):
            lengths.extend([batch.ids.shape[1]] * len(batch.rows))

    cost = _timed(run)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    operations = encoder_operations(
        lengths,
        layers=config["num_hidden_layers"],
        width=config["hidden_size"],
        inner=config["intermediate_size"],
    )
    return {"all": cost, "sub_words": sum(lengths), "operations": operations}


def worker(options: argparse.Namespace) -> Found:
    """Submissions one after another, as a worker of a site scores them."""
    score = _worker()
    from tests.earmark.corpora import published

    (before, references), (other, _), (timed, _) = (
        published(options.data, name) for name in (BEFORE, OTHER, TIMED)
    )
    found = {"before": _timed(lambda: score(before, references))}
    found["one"] = _timed(lambda: score(timed, references))
    changed = with_a_tenth_changed(timed, other)
    found["again"] = _timed(lambda: score(changed, references))
    return found


def _worker() -> Callable[[Any, Any], None]:
    """Score every metric with this installation's own workspace (``leaderboard.scorer``)."""
    import os

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    share_memory_pools()
    from earmark.registry import standard_families
    from leaderboard.scorer import score_family

    def silent(_family: str, _done: int, _total: int) -> None:
        """Ignore progress."""

    def score(candidates: Any, references: Any) -> None:
        waiting: dict[str, dict[str, Any]] = {name: {} for name in standard_families()}
        for name in waiting:
            score_family(name, candidates, references, silent, others=lambda: waiting)

    return score


def one(options: argparse.Namespace) -> Found:
    """One caption and a batch of 64, on one core, for each metric family."""
    use_processors(1)
    from tests.bench.bench_library import family_costs

    rows = family_costs(options.clips, options.repeats, options.families.split(","))
    return {name: {"one": took[0], "batch": took[1]} for name, took in rows}


def card(_: argparse.Namespace) -> Found:
    """Name of the graphics card, if there is one."""
    import torch

    there = torch.cuda.is_available()
    return {"name": torch.cuda.get_device_name() if there else None}


def scale(options: argparse.Namespace) -> Found:
    """Some families over made-up captions, without a cache."""
    from earmark.pipeline import score
    from earmark.registry import metrics_of
    from earmark.runtime import usable_processors
    from earmark.workspace import Workspace

    candidates, references = made_up(options.clips, options.references)
    metrics = [
        info.name
        for family in options.families.split(",")
        for info in metrics_of(family)
        if not info.several
    ]
    workspace = Workspace(
        cache_dir=options.cache, device=options.device, processors=usable_processors()
    )
    unavailable: dict[str, str] = {}

    def run() -> None:
        left = score(candidates, references, metrics, workspace).unavailable
        unavailable.update(left)

    return {"score": _timed(run), "unavailable": unavailable}


def _timed(run: Callable[[], object]) -> dict[str, Any]:
    clock = Clock()
    run()
    return asdict(clock.cost())


STAGES = {stage.__name__: stage for stage in (encode, encoder, worker, one, card, scale)}


def main() -> None:
    """Run a stage."""
    parser = argparse.ArgumentParser(description="A stage of the benchmark of performance.")
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--references", type=int, default=5)
    parser.add_argument("--families", default="")
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    options.out.write_text(json.dumps(STAGES[options.stage](options)), encoding="utf-8")


if __name__ == "__main__":
    main()
