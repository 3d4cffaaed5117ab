"""Compare bert_score with the package of its authors.

    pip install --no-deps --target FOLDER bert-score==0.3.13 matplotlib pandas contourpy cycler \
        fonttools kiwisolver pyparsing pillow python-dateutil six
    PYTHONPATH=FOLDER python -m tests.bench.bench_bert_score

Prints the largest difference of a clip, and what the prepared references take.
"""

import argparse
import importlib
import importlib.util
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.models.encoder import DEFAULT, Encoder, find_encoder
from earmark.pipeline import score_family
from earmark.workspace import Workspace
from tests.bench.data import add_data_argument, stop_without
from tests.earmark.corpora import SYSTEMS, published

LAYERS = 6  # of the default encoder
TOLERANCE = 1e-5
Floats = NDArray[np.float64]
Plain = tuple[Floats, NDArray[np.bool_]]


def plain_vectors(encoder: Encoder, captions: Sequence[str]) -> list[Plain]:
    """Run transformers' model on one caption at a time.

    Gives unit vectors, and which are not the model's own marks.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    model: Any = SentenceTransformer(str(encoder.folder), device="cpu")
    found = []
    for caption in captions:
        inputs = model.tokenizer([caption], return_tensors="pt")
        with torch.inference_mode():
            hidden = model[0].auto_model(**inputs).last_hidden_state[0].numpy().astype(np.float64)
        ids = inputs["input_ids"][0].numpy()
        words = ~np.isin(ids, [model.tokenizer.cls_token_id, model.tokenizer.sep_token_id])
        found.append((hidden / np.linalg.norm(hidden, axis=1, keepdims=True), words))
    return found


def plain_f(candidate: Plain, reference: Plain) -> float:
    """Match greedily, as the paper writes it."""
    cosines = candidate[0] @ reference[0].T
    precision = float(cosines.max(axis=1)[candidate[1]].mean())
    recall = float(cosines.max(axis=0)[reference[1]].mean())
    return 2 * precision * recall / (precision + recall)


@cache
def _plain_of(encoder: Encoder, captions: tuple[str, ...]) -> dict[str, Plain]:
    texts = tuple(dict.fromkeys(captions))
    return dict(zip(texts, plain_vectors(encoder, texts), strict=True))


def plain_scores(encoder: Encoder, candidates: Candidates, references: References) -> Floats:
    """F against the best reference of each clip."""
    vectors = _plain_of(encoder, references.captions) | _plain_of(encoder, candidates.first)
    rows = [
        max(plain_f(vectors[said], vectors[told]) for told in clip.references)
        for said, clip in zip(candidates.first, references.clips, strict=True)
    ]
    return np.array(rows)


def original_scores(candidates: Candidates, references: References, batch: int) -> Floats:
    """Run the authors' package on the same model.

    In batches it fills up the shorter texts of a batch, and a word whose
    cosines are all below 0 then finds a filler, whose cosine is 0.
    """
    package: Any = importlib.import_module("bert_score")
    _, _, f = package.score(
        list(candidates.first),
        [list(clip.references) for clip in references.clips],
        model_type=str(find_encoder(DEFAULT).folder),
        num_layers=LAYERS,
        idf=False,
        batch_size=batch,
        device="cpu",
    )
    scores: Floats = f.numpy().astype(np.float64)
    return scores


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description="bert_score beside the original.")
    add_data_argument(parser)
    parser.add_argument("--system", choices=SYSTEMS, default=SYSTEMS[0], help="what is scored")
    arguments = parser.parse_args()
    stop_without(arguments.data / "systems")
    if importlib.util.find_spec("bert_score") is None:
        sys.stdout.write(f"Not run: the package bert_score is not there.\n\n{__doc__}")
        return
    sides = published(arguments.data, arguments.system)
    with tempfile.TemporaryDirectory() as cache:
        for state in ("cold", "warm"):
            start = time.process_time()
            workspace = Workspace(cache_dir=Path(cache), device="cpu")
            ours = score_family("bert_score", *sides, workspace)["bert_score"]
            took = time.process_time() - start
            sys.stdout.write(f"{state} cache: {took:.1f} s of processor time\n")
        for file in Path(cache).iterdir():
            sys.stdout.write(f"prepared references: {file.stat().st_size / 1e6:.1f} MB\n")
    for batch in (1, 64):
        apart = _apart(ours.per_clip, original_scores(*sides, batch))
        sys.stdout.write(f"original in batches of {batch}: {apart}\n")


def _apart(ours: NDArray[np.float32], theirs: Floats) -> str:
    apart = np.abs(ours - theirs)
    return (
        f"largest difference of a clip {apart.max():.1e},"
        f" more than {TOLERANCE:g} for {np.count_nonzero(apart > TOLERANCE)}"
    )


if __name__ == "__main__":
    main()
