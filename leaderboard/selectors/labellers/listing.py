"""Every labeller that may be put to use: as pages and the API describe it, as a folder to keep."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from earmark.errors import ScoringError
from earmark.models.descriptors import find_labeller
from leaderboard.models import Labeller, LabellerUse, Origin
from leaderboard.selectors.labellers.files import (
    CONFIG,
    FILES,
    MISSING,
    REPORT,
    WEIGHTS,
    artefact_digest,
    fault_of,
    installation_path,
    is_identity,
    labeller_folder,
)
from leaderboard.selectors.labellers.scores import MEASURES, LabellerFigures, scores_of
from leaderboard.selectors.labellers.use import latest_use
from leaderboard.web.redaction import without_paths

# No recipe has as many; one that was made elsewhere may say anything.
MOST_CHOICES = 60


@dataclass(frozen=True, slots=True)
class StoredLabeller:
    """A labeller; ``row`` is None for the one that comes with the installation.

    ``scores`` is what its report says of the labels that it has, ``report`` all of it.
    """

    identity: str
    name: str
    labels: tuple[str, ...]
    origin: str
    sha256: str
    size: int
    data_hash: str
    recipe: Mapping[str, Any]
    report: Mapping[str, Any]
    scores: LabellerFigures | None
    in_use: bool
    note: str = ""
    made_by: str = ""
    made_at: datetime | None = None
    row: Labeller | None = None

    @property
    def shipped(self) -> bool:
        """Whether it needs no record here."""
        return self.row is None

    @property
    def claimed(self) -> bool:
        """Whether data, recipe and scores are its maker's word, and nothing measured here."""
        return self.row is not None and self.row.origin == Origin.UPLOADED

    @property
    def fault(self) -> str:
        """How its files differ from those that were stored, empty where they do not; reads them."""
        if self.row is None:
            return NOT_THERE if self.identity == MISSING else ""
        return fault_of(self.sha256)

    @property
    def signed(self) -> str:
        """The field by which the signature of every score of ACES names it."""
        return f"desc:{self.identity}"


NOT_THERE = "the labeller that EARMARK_METRICS names is not on this server"


def kept_labellers() -> list[StoredLabeller]:
    """List the shipped labeller, then those that are kept, the latest first."""
    use = latest_use()
    chosen = None if use is None else use.labeller_id
    rows = Labeller.objects.select_related("made_by")
    return [_shipped(in_use=chosen is None), *(_kept(row, row.pk == chosen) for row in rows)]


def kept_labeller(identity: str) -> StoredLabeller | None:
    """Find a labeller by its name in signatures."""
    if not is_identity(identity):
        return None
    use = latest_use()
    chosen = None if use is None else use.labeller_id
    row = Labeller.objects.select_related("made_by").filter(identity=identity).first()
    if row is not None:
        return _kept(row, row.pk == chosen)
    shipped = _shipped(in_use=chosen is None)
    return shipped if shipped.identity == identity else None


def uses_of(identity: str = "") -> list[LabellerUse]:
    """List when labellers were put to use, or one of them, the latest first."""
    rows = LabellerUse.objects.select_related("put_by", "labeller")
    return list(rows.filter(identity=identity) if identity else rows)


def choices_of(recipe: Mapping[str, Any]) -> dict[str, str]:
    """A recipe as names and texts, no more and no longer than a page can show."""
    return {str(name)[:60]: _text(value) for name, value in sorted(recipe.items())[:MOST_CHOICES]}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _kept(row: Labeller, in_use: bool) -> StoredLabeller:
    labels = tuple(map(str, row.labels))
    return StoredLabeller(
        identity=row.identity,
        name=row.name,
        labels=labels,
        origin=Origin(row.origin).label,
        sha256=row.sha256,
        size=row.size,
        data_hash=row.data_hash,
        recipe=row.recipe if isinstance(row.recipe, dict) else {},
        report=row.scores if isinstance(row.scores, dict) else {},
        scores=scores_of(row.scores, labels),
        note=row.note,
        made_by="" if row.made_by is None else row.made_by.get_username(),
        made_at=row.made_at,
        in_use=in_use,
        row=row,
    )


def _shipped(*, in_use: bool) -> StoredLabeller:
    """Describe the labeller of the installation by the files that it has."""
    try:
        labeller = find_labeller(installation_path())
    except ScoringError:
        origin = "Chosen by this installation"
        return StoredLabeller(MISSING, MISSING, (), origin, "", 0, "", {}, {}, None, in_use)
    report = _read(labeller.folder / REPORT)
    recipe = report.pop("recipe", None)
    if not isinstance(recipe, dict):  # what the configuration says, with the number of labels
        recipe = {**_read(labeller.folder / CONFIG), "labels": len(labeller.labels)}
    return StoredLabeller(
        identity=labeller.identity,
        name=labeller.identity.partition("@")[0],
        labels=labeller.labels,
        origin="Chosen by this installation" if installation_path() else "Comes with Earmark",
        sha256=artefact_digest(labeller.folder),
        size=sum((labeller.folder / name).stat().st_size for name in FILES),
        data_hash=str(report.get("data_hash", ""))[:64],
        # A backbone that is a path on this server is told by the folder's name alone.
        recipe={**recipe, "backbone": without_paths(str(recipe.get("backbone", "")))},
        report=report,
        scores=scores_of(report, labeller.labels),
        in_use=in_use,
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


CARD = "MODEL_CARD.md"


def labeller_pack(kept: StoredLabeller, goal: Path) -> None:
    """Write a labeller, its files verified, into a new folder with its report and its card.

    Raises ``LabellerTampered``, or ``FileExistsError`` where the folder is there.
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
    yield "    python -m earmark label CAPTIONS --labeller FOLDER"


def _line(text: str) -> str:
    """Keep a text of people's to one line."""
    return " ".join(text.split())
