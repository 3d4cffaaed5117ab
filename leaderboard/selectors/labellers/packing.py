"""A labeller as a folder to keep: its two files, what was measured, and a card to read."""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from django.conf import settings

from leaderboard.selectors.labellers.files import (
    CONFIG,
    REPORT,
    WEIGHTS,
    installation_path,
    labeller_folder,
)
from leaderboard.selectors.labellers.listing import StoredLabeller, choices_of
from leaderboard.selectors.labellers.scores import MEASURES
from scoring.models.descriptors import find_labeller

CARD = "MODEL_CARD.md"


def labeller_pack(kept: StoredLabeller, goal: Path) -> None:
    """Write a labeller, its files verified, into a new folder with its report and its card.

    Raises as ``labeller_folder`` does, and ``FileExistsError`` where the folder is there.
    """
    if kept.shipped:
        folder = find_labeller(installation_path()).folder
    else:
        folder = labeller_folder(kept.identity)
    goal.mkdir(parents=True)
    (goal / CONFIG).write_bytes(_configuration(folder))
    shutil.copyfile(folder / WEIGHTS, goal / WEIGHTS)
    (goal / REPORT).write_text(report_text(kept), encoding="utf-8")
    own = folder / CARD
    text = own.read_text(encoding="utf-8") if kept.shipped and own.is_file() else card(kept)
    (goal / CARD).write_text(text, encoding="utf-8")


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
