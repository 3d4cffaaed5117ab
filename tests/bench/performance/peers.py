"""Other packages that compute the same metrics, each in a process of its own.

    python -m tests.bench.performance.peers NAME theirs|ours --data FOLDER --cache FOLDER --out FILE

Run by the interpreter that has the packages (``make bench-peers``).
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from earmark.captions import Candidates, References
from tests.bench import coco
from tests.bench.performance.captions import TIMED, distinct
from tests.bench.performance.processes import Clock

PerClip = dict[str, list[float]]
BLEU = ("bleu_1", "bleu_2", "bleu_3", "bleu_4")


@dataclass(frozen=True)
class Peer:
    """A package: what it is imported as, the metrics that are compared, and what is left out.

    ``ready`` gives what computes the scores; with ``loaded`` it loads the encoder before.
    """

    module: str
    metrics: tuple[str, ...]
    left_out: str
    loaded: bool
    ready: Callable[[Candidates, References], Callable[[], Mapping[str, Any]]]


def _coco(candidates: Candidates, references: References) -> Callable[[], Mapping[str, Any]]:
    def run() -> Mapping[str, Any]:
        said, told = coco.both_tokens(candidates, references)
        return coco.coco_scores(said, told)

    return run


def _aac(candidates: Candidates, references: References) -> Callable[[], Mapping[str, Any]]:
    # Only CLAPScore and MACE use it; it needs torchaudio.
    if importlib.util.find_spec("msclap") is None:
        sys.modules["msclap"] = stand_in = ModuleType("msclap")
        vars(stand_in)["CLAP"] = None
    functional: Any = importlib.import_module("aac_metrics.functional")
    from earmark.workspace import Workspace

    workspace = Workspace()
    model = _sentence_transformer()
    captions = [list(clip.references) for clip in references.clips]
    said = [" ".join(words) for words in workspace.words(candidates.first)]
    told = [[" ".join(words) for words in workspace.words(texts)] for texts in captions]

    def run() -> Mapping[str, Any]:
        _, found = functional.bleu(said, told, n=4, return_1_to_n=True)
        per_clip = dict(zip(BLEU, found["bleu_1_to_4"], strict=True))
        per_clip |= functional.rouge_l(said, told)[1] | functional.cider_d(said, told)[1]
        similar = functional.sbert_sim(
            list(candidates.first), captions, sbert_model=model, device="cpu"
        )
        return {**per_clip, **similar[1]}

    return run


def _bert_score(candidates: Candidates, references: References) -> Callable[[], Mapping[str, Any]]:
    from tests.bench.bench_bert_score import original_scores

    importlib.import_module("bert_score")
    return lambda: {"bert_score": original_scores(candidates, references, 64)}


def _cosines(candidates: Candidates, references: References) -> Callable[[], Mapping[str, Any]]:
    model = _sentence_transformer()

    def run() -> Mapping[str, Any]:
        texts = distinct(candidates.first, references.captions)
        vectors = dict(zip(texts, model.encode(texts, normalize_embeddings=True), strict=True))
        sides = zip(candidates.first, references.clips, strict=True)
        means = [
            sum(float(vectors[said] @ vectors[text]) for text in clip.references)
            / len(clip.references)
            for said, clip in sides
        ]
        return {"sbert_sim": means}

    return run


def _sentence_transformer() -> Any:
    from sentence_transformers import SentenceTransformer

    from earmark.models.encoder import find_encoder

    return SentenceTransformer(str(find_encoder().folder), device="cpu")


PEERS = {
    "pycocoevalcap": Peer(
        "pycocoevalcap",
        coco.METRICS,
        "SPICE, which downloads Stanford CoreNLP before its first score",
        False,
        _coco,
    ),
    "aac-metrics": Peer(
        "aac_metrics",
        (*BLEU, "rouge_l", "cider_d", "sbert_sim"),
        "its tokeniser, METEOR and SPICE (Java programs that it downloads), FENSE and the fluency"
        " rate (a detector that it downloads); it is given Earmark's tokens",
        True,
        _aac,
    ),
    "bert-score": Peer("bert_score", ("bert_score",), "", False, _bert_score),
    "sentence-transformers": Peer("sentence_transformers", ("sbert_sim",), "", True, _cosines),
}


def listed(metrics: Sequence[str]) -> str:
    """Names of metrics as they are read.

    >>> listed(["bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l"])
    'bleu_1 to bleu_4, rouge_l'
    """
    return ", ".join(metrics).replace(", ".join(BLEU), f"{BLEU[0]} to {BLEU[-1]}")


def plain(found: Mapping[str, Any]) -> PerClip:
    """Scores per clip as plain numbers, from arrays, tensors or lists.

    >>> plain({"a": [1, 2]})
    {'a': [1.0, 2.0]}
    """
    return {name: [float(score) for score in scores] for name, scores in found.items()}


def _ours(peer: Peer, sides: tuple[Candidates, References], cache: Path) -> Callable[[], Any]:
    """Score by the same metrics, with nothing prepared."""
    from earmark.models.encoder import find_encoder, load_encoder
    from earmark.pipeline import score
    from earmark.runtime import usable_processors
    from earmark.workspace import Workspace

    if peer.loaded:
        load_encoder(find_encoder(), "cpu")

    def run() -> Mapping[str, Any]:
        workspace = Workspace(cache_dir=cache, device="cpu", processors=usable_processors())
        found = score(*sides, peer.metrics, workspace)
        return {name: result.per_clip for name, result in found.results.items()}

    return run


def missing() -> list[str]:
    """Peers that this interpreter cannot import, or that lack a program."""
    return [
        name
        for name, peer in PEERS.items()
        if importlib.util.find_spec(peer.module) is None
        or (peer.module == "pycocoevalcap" and coco.java_version() is None)
    ]


def main() -> None:
    """Score by a peer, or by Earmark the same; or say which peers are missing."""
    parser = argparse.ArgumentParser(description="A peer in the benchmark of performance.")
    parser.add_argument("name", choices=(*PEERS, "missing"))
    parser.add_argument("side", choices=("theirs", "ours"), nargs="?", default="theirs")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found: Any = missing() if options.name == "missing" else _scored(options)
    options.out.write_text(json.dumps(found), encoding="utf-8")


def _scored(options: argparse.Namespace) -> Mapping[str, Any]:
    from tests.earmark.corpora import published

    peer, sides = PEERS[options.name], published(options.data, TIMED)
    ours = options.side == "ours"
    run = _ours(peer, sides, options.cache) if ours else peer.ready(*sides)
    clock = Clock()
    per_clip = run()
    call = asdict(clock.cost())
    return {"call": call, "per_clip": plain(per_clip)}


if __name__ == "__main__":
    main()
