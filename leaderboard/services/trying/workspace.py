"""A workspace for one caption: what is embedded is little, and someone waits for it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.models.encoder import Encoder, Vectors, loaded, padded_batches
from scoring.models.token_vectors import LAST, TokenVectors, rounded
from scoring.running import Heartbeat
from scoring.workspace import Workspace


class TryWorkspace(Workspace):
    """Embeds sentences without filling their batches up, and captions once for two families.

    The scorer fills every batch up to 16 rows, so that a vector has the same bits
    in any company. With six sentences of six lengths that is 16 times the work; to
    leave it out moves a cosine by less than 1e-6 where it moves it at all.

    Whoever asks for anything is first asked whether there is time left: some families
    report progress only after a first batch, and there are seventeen of them.
    """

    def memo(self, name: str) -> dict[Any, Any]:
        """Give the memo of this name."""
        self.progress(name, 0, 1)
        return super().memo(name)

    def embeddings(
        self,
        sentences: Sequence[str],
        encoder: Encoder,
        *,
        heartbeat: Heartbeat | None = None,
    ) -> Vectors:
        """Give the unit vector of each sentence, shape (sentences, dimensions)."""
        self.progress("embeddings", 0, 1)
        known, name = self._vectors, encoder.identity
        new = [text for text in dict.fromkeys(sentences) if (name, text) not in known]
        if new:
            model, size = loaded(encoder, self.device)
            done = 0
            for texts in _batches(model, new, size):
                vectors = model.encode(texts, batch_size=len(texts), show_progress_bar=False)
                known.update(zip(((name, text) for text in texts), unit(vectors), strict=True))
                done += len(texts)
                if heartbeat is not None:
                    heartbeat(done, len(new))
        return np.array([known[name, text] for text in sentences], np.float32)

    def read_captions(self, captions: Sequence[str], encoder: Encoder) -> None:
        """Run the encoder once where the vectors of sentences and of their words are wanted.

        Leaves both where the families look for what another has found.
        """
        name = encoder.identity
        known: dict[str, TokenVectors] = self.memo(f"token vectors:{name}:{LAST}")
        new = [text for text in dict.fromkeys(captions) if text not in known]
        if not new:
            return
        model, size = loaded(encoder, self.device)
        for texts in _batches(model, new, size):
            ids, hidden, vectors = _forward(model, texts)
            for text, row, states, vector in zip(texts, ids, hidden, vectors, strict=True):
                known[text] = _token_vectors(model.tokenizer, row, states)
                self._vectors[name, text] = vector
            self.progress("bert_score", 0, 1)


def unit(vectors: Vectors) -> Vectors:
    """Scale vectors, (sentences, dimensions), to length 1; one of zeros stays one."""
    wide = np.asarray(vectors, np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    norms[norms == 0] = 1
    out: Vectors = (wide / norms).astype(np.float32)
    return out


def _batches(model: Any, sentences: Sequence[str], size: int) -> Iterator[list[str]]:
    """Give sentences of one length in sub-words together."""
    for rows, texts in padded_batches(model, sentences, size):
        yield texts[: len(rows)]


def _forward(model: Any, texts: list[str]) -> tuple[NDArray[np.int64], Vectors, Vectors]:
    """Give ids, (sentences, tokens), and the vectors of tokens and, unit, of sentences."""
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
        *rounded(hidden), words, tuple(tokenizer.convert_ids_to_tokens(ids.tolist()))
    )
