"""A workspace for captions that somebody waits for, with little time for each."""

from collections.abc import Sequence
from typing import Any

from scoring.models.encoder import Encoder, Vectors
from scoring.runtime import Heartbeat
from scoring.workspace import Workspace


class PlaygroundWorkspace(Workspace):
    """Checks before every access whether there is time left.

    Some families report progress only after a first batch, and there are seventeen of them.
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
        return super().embeddings(sentences, encoder, heartbeat=heartbeat)
