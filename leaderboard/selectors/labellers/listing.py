"""Every labeller that may be put to use, as pages and the API describe it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from leaderboard.models import Labeller, LabellerUse, Origin
from leaderboard.selectors.labellers.files import (
    CONFIG,
    FILES,
    MISSING,
    REPORT,
    artefact_digest,
    fault_of,
    installation_path,
    is_identity,
)
from leaderboard.selectors.labellers.scores import LabellerFigures, scores_of
from leaderboard.selectors.labellers.use import latest_use
from leaderboard.web.redaction import without_paths
from scoring.errors import ScoringError
from scoring.models.descriptors import DescriptorLabeller as Files
from scoring.models.descriptors import find_labeller

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
        found = find_labeller(installation_path())
    except ScoringError:
        origin = "Chosen by this installation"
        return StoredLabeller(MISSING, MISSING, (), origin, "", 0, "", {}, {}, None, in_use)
    report = _read(found.folder / REPORT)
    recipe = report.pop("recipe", None)
    config = _read(found.folder / CONFIG)
    return StoredLabeller(
        identity=found.identity,
        name=found.identity.partition("@")[0],
        labels=found.labels,
        origin="Chosen by this installation" if installation_path() else "Comes with Earmark",
        sha256=artefact_digest(found.folder),
        size=sum((found.folder / name).stat().st_size for name in FILES),
        data_hash=str(report.get("data_hash", ""))[:64],
        recipe=_named(recipe) if isinstance(recipe, dict) else _choices(config, found),
        report=report,
        scores=scores_of(report, found.labels),
        in_use=in_use,
    )


def _choices(config: Mapping[str, Any], found: Files) -> dict[str, Any]:
    """What a configuration says about how the labeller was made, with its number of labels."""
    settings = {key: value for key, value in config.items() if key != "labels"}
    return {**_named(settings), "labels": len(found.labels)}


def _named(recipe: dict[str, Any]) -> dict[str, Any]:
    """A recipe whose backbone, where it is a path on this server, is the folder's name alone."""
    return {**recipe, "backbone": without_paths(str(recipe.get("backbone", "")))}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
