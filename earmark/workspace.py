"""Settings and work that the metrics of a scoring run share; passed in, never global."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from earmark.asking import LanguageModel
from earmark.kept_references import KeptReferences
from earmark.recordings import Recordings
from earmark.runtime import Device, Heartbeat, Progress

if TYPE_CHECKING:
    from earmark.captions import References
    from earmark.models.encoder import Encoder
    from earmark.models.token_vectors import TokenVectors
    from earmark.text.parsing_process import ParsingProcess


Key = TypeVar("Key")
Value = TypeVar("Value")


def _silent(_family: str, _done: int, _total: int) -> None:
    """Ignore progress."""


@dataclass
class Workspace:
    """Settings and shared work of one run.

    ``cache_dir`` is the only place that is written, with prepared references of
    ``cache_bytes`` at most (those used longest ago make room; 0: none) and, once per
    machine, METEOR's paraphrases. None: these alone, in the user's cache folder.
    ``progress(family, done, total)`` is called with clips done so far; it may
    raise to stop the run. Every distinct caption is tokenised once per
    workspace, and embedded once per encoder. With ``sub_words`` the vectors of a
    caption's sub-words are kept when it is embedded, for BERTScore. With more than
    one of ``processors``, networks read captions ahead in a thread of their own; where there
    is ``parsing``, captions are parsed by that process.
    ``recordings`` are there for metrics that listen, and ``language_model`` for
    those that ask one: without it, nothing is sent anywhere. Where there is ``kept``,
    references are prepared or loaded once for all the workspaces that share it. ``whole`` are
    the references of which a part is scored (``earmark.corpus_parts``).
    """

    cache_dir: Path | None = None
    cache_bytes: int = 1_000_000_000
    device: Device = "auto"
    details: bool = False
    sub_words: bool = False
    processors: int = 1
    parsing: "ParsingProcess | None" = field(default=None, repr=False)
    progress: Progress = _silent
    recordings: Recordings = field(default_factory=Recordings)
    language_model: LanguageModel | None = None
    kept: KeptReferences | None = field(default=None, repr=False)
    whole: "References | None" = field(default=None, repr=False)
    _locks: dict[str, RLock] = field(default_factory=dict, repr=False)
    _memos: dict[str, dict[Any, Any]] = field(default_factory=dict, repr=False)
    _counted: dict[str, Any] = field(default_factory=dict, repr=False)

    def memo(self, name: str) -> dict[Any, Any]:
        """Memo of this name for the run, empty at first: work done once is shared.

        Keys are distinct captions, phrases or pairs with all that the value
        depends on; values are never changed.
        """
        return self._memos.setdefault(name, {})

    def forgetful(self) -> "Workspace":
        """A workspace with the same settings that remembers nothing yet."""
        return replace(self, _locks={}, _memos={}, _counted={})

    def for_part(self, whole: "References") -> "Workspace":
        """A workspace for a part of a corpus; it shares with other parts what is ``counted``."""
        return replace(self.forgetful(), whole=whole, _counted=self._counted)

    def counted(self, name: str, count: Callable[[], Value]) -> Value:
        """What ``count`` counts over all documents: once for all parts of a corpus."""
        if self.whole is None:
            return count()
        if name not in self._counted:
            self._counted[name] = count()
        value: Value = self._counted[name]
        return value

    @property
    def remembered(self) -> int:
        """How many values are remembered: some twenty for a caption that every metric has read."""
        return sum(len(known) for known in self._memos.values())

    def leave_to(self, other: "Workspace") -> None:
        """Let another workspace with the same settings remember what this one does."""
        for name, known in self._memos.items():
            other.memo(name).update(known)

    def forget_oldest(self, most: int) -> None:
        """Keep ``most`` values, of each kind its share of those computed last.

        Nobody else may work with this workspace meanwhile.
        """
        total = max(self.remembered, most)
        for known in self._memos.values():
            for key in list(islice(known, len(known) - len(known) * most // total)):
                del known[key]

    def computed_once(
        self, name: str, keys: Sequence[Key], compute: Callable[[list[Key]], Iterable[Value]]
    ) -> list[Value]:
        """Value of each key, in order; ``compute`` is given the distinct ones new to a memo."""
        known: dict[Key, Value] = self.memo(name)
        with self._lock(name):
            new = [key for key in dict.fromkeys(keys) if key not in known]
            if new:
                known.update(zip(new, compute(new), strict=True))
            return [known[key] for key in keys]

    def _lock(self, name: str) -> RLock:
        """Lock of a memo: whoever needs what another thread is computing waits for it."""
        return self._locks.setdefault(name, RLock())

    def waiting(self, family: str, clips: int) -> Heartbeat:
        """Heartbeat of work before any clip of a family is done."""
        return lambda _done, _total: self.progress(family, 0, clips)

    def partly_done(self, family: str, clips: int) -> Heartbeat:
        """Heartbeat that reports a share of the clips; all are done when there are scores."""
        return lambda done, total: self.progress(family, clips * done // (total + 1), clips)

    def quiet(self, family: str, clips: int, *, done: int = 0) -> "Workspace":
        """Workspace that shares the run's work, and tells of ``done`` clips of a family alone."""
        return replace(
            self,
            details=False,
            progress=lambda _family, _done, _total: self.progress(family, done, clips),
        )

    def tokens(self, captions: Iterable[str]) -> list[tuple[str, ...]]:
        """PTB tokens of each caption, in order."""
        from earmark.text.ptb import tokenize

        return self.computed_once(
            "tokens", list(captions), lambda new: (tuple(tokenize(text)) for text in new)
        )

    def words(self, captions: Iterable[str]) -> list[tuple[str, ...]]:
        """Words of each caption as COCO's BLEU and CIDEr count them, in order.

        Their programs cut tokens with ``str.split``, so that one which holds a no-break space
        ("5 1/2") is several words; those of METEOR and ROUGE-L cut them at plain spaces alone.
        """
        return [tuple(" ".join(tokens).split()) for tokens in self.tokens(captions)]

    def embeddings(
        self,
        sentences: Sequence[str],
        encoder: "Encoder",
        *,
        heartbeat: Heartbeat | None = None,
    ) -> NDArray[np.float32]:
        """Unit vector of each sentence, shape (sentences, dimensions).

        ``heartbeat(done, total)`` counts the sentences that are new to the
        workspace, after each batch.
        """
        from earmark.models.encoder import embed

        def compute(new: list[str]) -> Iterable[NDArray[np.float32]]:
            return embed(encoder, new, device=self.device, heartbeat=heartbeat)

        name = f"vectors:{encoder.identity}"
        return np.array(self.computed_once(name, sentences, compute), np.float32)

    def caption_embeddings(
        self,
        captions: Sequence[str],
        encoder: "Encoder",
        *,
        heartbeat: Heartbeat | None = None,
    ) -> NDArray[np.float32]:
        """``embeddings`` of captions; where ``sub_words`` is on, those of sub-words are kept."""
        if self.sub_words:
            self.token_vectors(captions, encoder, heartbeat=heartbeat)
        return self.embeddings(captions, encoder, heartbeat=heartbeat)

    def token_vectors(
        self,
        captions: Sequence[str],
        encoder: "Encoder",
        *,
        layer: int = -1,
        heartbeat: Heartbeat | None = None,
    ) -> "list[TokenVectors]":
        """Vectors of the sub-words of each caption; the pass of the encoder embeds it as well."""
        from earmark.models.token_vectors import embed_tokens

        def compute(new: list[str]) -> "list[TokenVectors]":
            whole, tokens = embed_tokens(
                encoder, new, layer=layer, device=self.device, heartbeat=heartbeat
            )
            self.memo(f"vectors:{encoder.identity}").update(zip(new, whole, strict=True))
            return tokens

        return self.computed_once(f"token vectors:{encoder.identity}:{layer}", captions, compute)
