"""A labeller as a file to keep: its two files, what was measured, and a card to read."""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import IO, cast

from django.conf import settings

from leaderboard.selectors.labellers.comparing import choices_of
from leaderboard.selectors.labellers.files import (
    CONFIG,
    REPORT,
    WEIGHTS,
    installation_path,
    labeller_folder,
)
from leaderboard.selectors.labellers.listing import StoredLabeller
from leaderboard.selectors.labellers.scores import MEASURES
from scoring.models.descriptors import find_labeller

CARD = "MODEL_CARD.md"
# A zip without times, so that the same labeller gives the same file.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_IN_MEMORY = 8_000_000


def file_name_of(kept: StoredLabeller) -> str:
    """The name of the file, after the labeller as signatures have it."""
    return f"{kept.identity}.zip"


def packed(kept: StoredLabeller) -> IO[bytes]:
    """Pack a labeller, its files verified, into a file that goes when it is closed.

    Raises ``LabellerTampered``.
    """
    if kept.shipped:
        folder = find_labeller(installation_path()).folder
    else:
        folder = labeller_folder(kept.identity)
    configuration = _configuration(folder)
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(CONFIG, _NO_TIME), configuration)
        entry = zipfile.ZipInfo(WEIGHTS, _NO_TIME)
        with (folder / WEIGHTS).open("rb") as source, archive.open(entry, "w") as goal:
            shutil.copyfileobj(source, goal)
        archive.writestr(zipfile.ZipInfo(REPORT, _NO_TIME), report_text(kept))
        own = folder / CARD
        text = own.read_text(encoding="utf-8") if kept.shipped and own.is_file() else card(kept)
        archive.writestr(zipfile.ZipInfo(CARD, _NO_TIME), text)
    file.seek(0)
    return cast("IO[bytes]", file)


def _configuration(folder: Path) -> bytes:
    """A labeller's configuration, without the place of a backbone on this server.

    Those that are kept name it by its folder's name already; not so what whoever runs the
    server has put there by hand, or what was kept by an earlier version.
    """
    stored = (folder / CONFIG).read_bytes()
    settings = json.loads(stored)
    backbone = Path(settings.get("backbone") or "")
    if not backbone.is_absolute():
        return stored
    return json.dumps({**settings, "backbone": backbone.name}, indent=2).encode() + b"\n"


def report_text(kept: StoredLabeller) -> str:
    """Write what was measured, with what it learned from and how."""
    content = {"data_hash": kept.data_hash, "recipe": dict(kept.recipe), **kept.report}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def card(kept: StoredLabeller) -> str:
    """Write a labeller's card in Markdown."""
    return "\n".join(_card(kept)) + "\n"


def _card(kept: StoredLabeller) -> Iterator[str]:
    yield f"# {_line(kept.name)}"
    yield ""
    yield (
        "Gives every word of an audio caption one of these labels, or O where the word "
        "describes nothing."
    )
    yield ""
    yield f"- in signatures: `{kept.signed}`"
    yield f"- labels: {', '.join(map(_line, kept.labels))}"
    yield f"- sha256 of config.json and model.safetensors together: `{kept.sha256}`"
    yield "  (`sha256sum config.json model.safetensors | sha256sum`)"
    says = ", as its maker says" if kept.claimed and kept.data_hash else ""
    yield f"- learned from captions with the sha256 `{kept.data_hash or 'not told'}`{says}"
    if kept.made_at is not None:
        yield f"- kept by {settings.SITE_NAME} since {kept.made_at.astimezone(UTC):%Y-%m-%d}"
    yield ""
    yield "## Recipe"
    yield ""
    yield from (f"- {_line(name)}: {_line(text)}" for name, text in choices_of(kept.recipe).items())
    yield ""
    yield "## Measured"
    yield ""
    scores = kept.scores
    if scores is None:
        yield "Nothing is known."
        return
    if kept.claimed:
        yield "As its maker says; this was not measured where it is kept."
        yield ""
    yield f"On captions that it had not seen ({scores.how}):"
    yield ""
    for name, title, _ in MEASURES:
        value = getattr(scores, name)
        yield f"- {title}: {'not measured' if value is None else f'{value:.3f}'}"
    yield ""
    yield "## Use"
    yield ""
    yield "    python -m scoring label CAPTIONS --labeller FOLDER"


def _line(text: str) -> str:
    """Keep a text of people's to one line."""
    return " ".join(text.split())
