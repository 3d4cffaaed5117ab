"""Judgments that were paid for, kept on disk by what was asked."""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scoring.asking import Message
from scoring.metrics.clair_a.prompt import PROMPT, Judgment, read_judgment

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answers:
    """Judgments of one model, a file each below ``folder``; None: nothing is kept.

    A file is either whole or absent, and one that cannot be read counts as absent. Any number of
    threads and processes may use the folder.
    """

    folder: Path | None
    model: str

    def find(self, messages: Sequence[Message]) -> Judgment | None:
        """The judgment that was given when this was asked before."""
        path = self._path(messages)
        if path is None:
            return None
        try:
            return read_judgment(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def keep(self, messages: Sequence[Message], judgment: Judgment) -> None:
        """Keep a judgment; a folder that cannot be written is logged and stops nothing."""
        path = self._path(messages)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            number, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(asdict(judgment), file)
            Path(part).replace(path)
        except OSError:
            logger.warning("Cannot keep answers in %s", path.parent, exc_info=True)

    def _path(self, messages: Sequence[Message]) -> Path | None:
        if self.folder is None:
            return None
        asked = [PROMPT, self.model, *((message.role, message.text) for message in messages)]
        name = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.json"
