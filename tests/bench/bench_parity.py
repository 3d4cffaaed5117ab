"""Write our numbers beside the reference programs': the tables of docs/measurements/parity.md.

    python -m tests.bench.bench_parity [--write]

Needs no Java: the reference numbers are those of pycocoevalcap 1.2 on Java 17, computed once and
kept with the data (oracles/). sbert_sim is compared with sentence-transformers' own encode,
bert_score with its formula over the vectors of transformers' own model, one caption at a time.
"""

import gzip
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.sbert.metric import Sbert
from earmark.models.encoder import find_encoder
from earmark.pipeline import CorpusScores, score
from earmark.registry import METRICS
from earmark.text.ptb import tokenize
from earmark.workspace import Workspace
from tests.bench.bench_bert_score import plain_scores
from tests.bench.data import stop_without
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.corpora import SYSTEMS, oracle, published

HEAD = (
    "metric",
    "Earmark",
    "reference",
    "largest difference of a clip",
    "clips within tolerance",
    "published",
)
TOLERANCE = {
    **dict.fromkeys(("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider_d"), 1e-6),
    "meteor": 1e-5,
    "sbert_sim": 1e-5,
    "bert_score": 1e-5,
    "vocab": 0.0,
}
# (system, metric): the value published for it on Clotho evaluation.
PUBLISHED = {
    ("dcase2023_baseline", "meteor"): "0.177",
    ("dcase2023_baseline", "cider_d"): "0.420",
    ("dcase2022_baseline", "rouge_l"): "0.365",
    ("audiocaption", "rouge_l"): "0.289",
}


@dataclass(frozen=True)
class Reference:
    """What a reference program says: the corpus value and one value per clip."""

    value: float
    per_clip: NDArray[np.float64]


class PlainEncoder:
    """sentence-transformers as anyone would call it."""

    def __init__(self) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as _logging

        logging: Any = _logging
        logging.disable_progress_bar()
        folder = find_encoder(Sbert().encoder).folder
        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self._known: dict[tuple[str, ...], NDArray[np.float64]] = {}

    def similarity(self, candidates: Candidates, references: References) -> Reference:
        """The mean cosine of each caption with its references."""
        ours, theirs = self._unit(candidates.first), self._unit(references.captions)
        ends = np.cumsum([len(clip.references) for clip in references.clips])
        parts = np.split(theirs, ends[:-1])
        rows = [float((part @ one).mean()) for part, one in zip(parts, ours, strict=True)]
        return Reference(float(np.mean(rows)), np.array(rows))

    def _unit(self, texts: tuple[str, ...]) -> NDArray[np.float64]:
        if texts not in self._known:
            vectors = np.asarray(self._model.encode(list(texts), show_progress_bar=False), float)
            self._known[texts] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return self._known[texts]


def told(data: Path, system: str, encoder: PlainEncoder) -> dict[str, Reference]:
    """The reference numbers of a system for every metric."""
    kept = oracle(data, system)
    clips = kept["per_clip"]
    words = [clip["tokens"].split() for clip in clips]
    vocabulary = len({word for row in words for word in row})
    found = {
        name: Reference(value, np.array([clip[name] for clip in clips]))
        for name, value in kept["corpus"].items()
    }
    found["sbert_sim"] = encoder.similarity(*published(data, system))
    matched = plain_scores(find_encoder(), *published(data, system))
    found["bert_score"] = Reference(float(matched.mean()), matched)
    found["vocab"] = Reference(vocabulary, np.array([len(set(row)) for row in words], float))
    return found


def rows(
    system: str, scores: CorpusScores, expected: dict[str, Reference]
) -> Iterator[tuple[str, ...]]:
    """Write one row of the table per metric."""
    for name, result in scores.results.items():
        theirs = expected[name]
        apart = np.abs(result.per_clip - theirs.per_clip)
        share = 100 * float(np.mean(apart <= TOLERANCE[name]))
        decimals = 6 if METRICS[name].decimals else 0
        published_value = PUBLISHED.get((system, name), "")
        yield (
            name,
            f"{result.value:.{decimals}f}",
            f"{theirs.value:.{decimals}f}",
            f"{apart.max():.1e}",
            f"{share:.1f} %",
            published_value,
        )


def token_counts(data: Path) -> str:
    """Count the Clotho captions whose tokens are Java's."""
    path = data / "oracles" / "ptb_tokens_clotho.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        next(file)  # the header
        pairs = [line.rstrip("\r\n").rpartition("\t") for line in file]
    equal = sum(" ".join(tokenize(caption)) == tokens for caption, _, tokens in pairs)
    return f"PTB tokens: {equal:,} of {len(pairs):,} distinct Clotho captions as with Java."


def main() -> None:
    """Score the published systems and write the tables."""
    parsed = arguments(__doc__ or "").parse_args()
    data: Path = parsed.data
    stop_without(data / "oracles")
    made = {"tokens": token_counts(data) + "\n"}
    signatures: list[str] = []
    encoder = PlainEncoder()
    with tempfile.TemporaryDirectory() as cache:
        for system in SYSTEMS:
            workspace = Workspace(cache_dir=Path(cache), device="cpu")
            scores = score(*published(data, system), tuple(TOLERANCE), workspace)
            made[system] = table(HEAD, rows(system, scores, told(data, system, encoder)))
            signatures += [result.signature for result in scores.results.values()]
    made["signatures"] = indented(signatures)
    tell({f"bench_parity: {name}": text for name, text in made.items()}, write=parsed.write)


if __name__ == "__main__":
    main()
