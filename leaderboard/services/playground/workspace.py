"""A workspace for one caption: little is embedded, and someone waits for it.

The encoder takes as long for five phrases as for fifty of the same length. So the short
texts of all families are embedded together, and captions are labelled together, before
the families run; they find the results in the workspace. What fails here is reported by
the families themselves.
"""

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.services.playground.texts import PlaygroundTexts
from scoring.errors import ScoringError
from scoring.metrics.aces.labels import labelled, span_texts
from scoring.metrics.aces.metric import Aces
from scoring.metrics.bert_score.metric import BertScore
from scoring.metrics.sbf.metric import Sbf
from scoring.metrics.sbf.phrases import find_phrases, find_reading
from scoring.metrics.spice.graphs import caption_graphs, merged
from scoring.metrics.spice_plus_emb.metric import SpicePlusEmb
from scoring.metrics.spice_plus_emb.tuple_texts import tuple_text
from scoring.models.descriptors import find_labeller
from scoring.models.encoder import Encoder, Vectors, find_encoder, load_encoder, padded_batches
from scoring.models.token_vectors import LAST, TokenVectors, quantised_vectors
from scoring.runtime import Heartbeat
from scoring.text.parse import parse
from scoring.workspace import Workspace


class PlaygroundWorkspace(Workspace):
    """Embeds sentences without filling their batches up, and captions once for two families.

    The scorer fills every batch up to 16 rows, so that a vector has the same bits in
    every batch. With six sentences of six lengths that is 16 times the work; leaving it
    out changes a cosine by less than 1e-6 if at all.

    Every access first checks whether there is time left: some families report progress
    only after a first batch, and there are seventeen of them.
    """

    def memo(self, name: str) -> dict[Any, Any]:
        """The memo of this name."""
        self.progress(name, 0, 1)
        return super().memo(name)

    def embeddings(
        self,
        sentences: Sequence[str],
        encoder: Encoder,
        *,
        heartbeat: Heartbeat | None = None,
    ) -> Vectors:
        """Unit vector of each sentence, shape (sentences, dimensions)."""
        self.progress("embeddings", 0, 1)
        known, name = self._vectors, encoder.identity
        new = [text for text in dict.fromkeys(sentences) if (name, text) not in known]
        if new:
            model, size = load_encoder(encoder, self.device)
            done = 0
            for texts in _batches(model, new, size):
                vectors = model.encode(texts, batch_size=len(texts), show_progress_bar=False)
                known.update(zip(((name, text) for text in texts), unit(vectors), strict=True))
                done += len(texts)
                if heartbeat is not None:
                    heartbeat(done, len(new))
        return np.array([known[name, text] for text in sentences], np.float32)

    def embed_captions(self, captions: Sequence[str], encoder: Encoder) -> None:
        """Run the encoder once for the vectors of sentences and those of their words.

        Both are left where the families look for what another has found.
        """
        name = encoder.identity
        known: dict[str, TokenVectors] = self.memo(f"token vectors:{name}:{LAST}")
        new = [text for text in dict.fromkeys(captions) if text not in known]
        if not new:
            return
        model, size = load_encoder(encoder, self.device)
        for texts in _batches(model, new, size):
            ids, hidden, vectors = _forward(model, texts)
            for text, row, states, vector in zip(texts, ids, hidden, vectors, strict=True):
                known[text] = _token_vectors(model.tokenizer, row, states)
                self._vectors[name, text] = vector
            self.progress("bert_score", 0, 1)


def unit(vectors: Vectors) -> Vectors:
    """Vectors, (sentences, dimensions), scaled to length 1; one of zeros stays as it is."""
    wide = np.asarray(vectors, np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    norms[norms == 0] = 1
    out: Vectors = (wide / norms).astype(np.float32)
    return out


def _batches(model: Any, sentences: Sequence[str], size: int) -> Iterator[list[str]]:
    """Batches of sentences with the same number of sub-words."""
    for rows, texts in padded_batches(model, sentences, size):
        yield texts[: len(rows)]


def _forward(model: Any, texts: list[str]) -> tuple[NDArray[np.int64], Vectors, Vectors]:
    """Ids, (sentences, tokens), then the vectors of tokens and the unit vectors of sentences."""
    import torch

    inputs = model.tokenizer(
        texts, truncation=True, max_length=model.max_seq_length, return_tensors="pt"
    )
    with torch.inference_mode():
        out = model({name: tensor.to(model.device) for name, tensor in inputs.items()})
    hidden, vectors = (
        out[name].float().cpu().numpy() for name in ("token_embeddings", "sentence_embedding")
    )
    return inputs["input_ids"].numpy(), hidden, unit(vectors)


def _token_vectors(tokenizer: Any, ids: NDArray[np.int64], hidden: Vectors) -> TokenVectors:
    marks = [tokenizer.cls_token_id, tokenizer.sep_token_id]
    words = ~np.isin(ids, [mark for mark in marks if mark is not None])
    return TokenVectors(
        *quantised_vectors(hidden), words, tuple(tokenizer.convert_ids_to_tokens(ids.tolist()))
    )


Found = tuple[Encoder, list[str]]
Parameters = Mapping[str, Any]


def prefetch(
    texts: PlaygroundTexts,
    families: Collection[str],
    workspace: PlaygroundWorkspace,
    parameters: Mapping[str, Parameters],
) -> None:
    """Compute ahead what these families will look up in the workspace."""
    if "bert_score" in families:
        with contextlib.suppress(ScoringError, ImportError, OSError):
            encoder = find_encoder(BertScore(**parameters.get("bert_score", {})).encoder)
            workspace.embed_captions([texts.caption, *texts.references], encoder)
    short: dict[Encoder, list[str]] = {}
    for name, find in _SHORT.items():
        if name in families:
            with contextlib.suppress(ScoringError, ImportError, OSError):
                encoder, phrases = find(texts, workspace, parameters.get(name, {}))
                short.setdefault(encoder, []).extend(phrases)
    for encoder, phrases in short.items():
        with contextlib.suppress(ScoringError, ImportError, OSError):
            workspace.embeddings(
                phrases,
                encoder,
                heartbeat=lambda done, total: workspace.progress("ahead", done, total),
            )


def _phrases(texts: PlaygroundTexts, workspace: PlaygroundWorkspace, own: Parameters) -> Found:
    """The phrases of all captions, whose sounds SBF compares."""
    family = Sbf(**own)
    reading = find_reading(family.phrases)
    parses = parse([texts.caption, *texts.references], workspace)
    phrases = [phrase for parsed in parses for phrase in find_phrases(parsed, reading)]
    return find_encoder(family.encoder), phrases


def _spans(texts: PlaygroundTexts, workspace: PlaygroundWorkspace, own: Parameters) -> Found:
    """The spans of all captions, which ACES compares by their labels."""
    family = Aces(**own)
    captions = [texts.caption, *texts.references]
    spans = labelled(
        workspace,
        captions,
        find_labeller(family.labeller),
        heartbeat=lambda done, total: workspace.progress("aces", done, total),
        # As with ``PlaygroundWorkspace.embeddings``: a sixteenth of the work.
        padded=False,
    )
    return find_encoder(family.encoder), span_texts(spans)


def _tuples(texts: PlaygroundTexts, workspace: PlaygroundWorkspace, own: Parameters) -> Found:
    """The tuples of both sides, which SPICE+emb compares."""
    family = SpicePlusEmb(**own)
    sides = ((texts.caption,), texts.references)
    graphs = [merged(caption_graphs(side, "plus", workspace), "plus") for side in sides]
    rows = [tuple_text(row) for graph in graphs for row in graph.graph.tuples]
    return find_encoder(family.encoder), rows


_SHORT = {"sbf": _phrases, "aces": _spans, "spice_plus_emb": _tuples}
