"""Registering labellers, and deleting those that nothing needs."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from leaderboard.models import Labeller, Origin, User
from leaderboard.selectors.labellers.files import REPORT, artefact_digest, unkept
from leaderboard.selectors.labellers.use import why_needed
from leaderboard.services.audit_log import audit_record
from leaderboard.services.labellers.checking import json_object, labeller_check
from leaderboard.services.labellers.configuration import LabellerRefused
from leaderboard.services.labellers.storing import (
    backbone_path_hide,
    backbone_path_note,
    files_copy,
    files_delete,
    report_replace,
    report_write,
    staged_move,
    staging_folder,
)
from leaderboard.web.redaction import without_paths
from leaderboard.web.refusals import Refused

MOST_REPORT_BYTES = 1_000_000
# Parts of a report that have fields of their own.
_OWN_FIELDS = {"data_hash", "recipe"}


def labeller_register(  # noqa: PLR0913 - one for each thing that is kept of it
    *,
    folder: Path,
    name: str,
    origin: Origin | str,
    data_hash: str,
    recipe: Mapping[str, Any],
    scores: Mapping[str, Any],
    note: str,
    actor: User | None,
    now: datetime,
) -> Labeller:
    """Register a labeller, its files copied from ``folder``, which is not changed.

    ``name`` is for people; signatures have the name in config.json. ``scores`` is a report
    of ``run_training``; its captions are not stored, since more people may see scores than
    captions. Registering the same files again returns the existing row, with damaged files
    replaced, and a maker's claims replaced by what was measured here. Raises
    ``LabellerRefused``; then nothing is stored.
    """
    made_here = origin == Origin.TRAINED
    stored_scores = json_checked(without_captions(dict(scores)), "The report")
    choices = _without_folder(json_checked(dict(recipe), "The recipe"))
    with staging_folder() as place:
        files_copy(folder, place)
        backbone_path_hide(place) if made_here else backbone_path_note(place)
        row = labeller_check(place, made_here=made_here)
        row.name = name.strip()[:60] or row.name
        row.sha256 = artefact_digest(place)
        row.origin, row.data_hash = origin, data_hash
        row.recipe, row.scores = choices, stored_scores
        row.note, row.made_by, row.made_at = note.strip()[:500], actor, now
        report_write(place, row)
        existing = Labeller.objects.filter(sha256=row.sha256).first()
        if existing is None:
            _check_identity(row.identity)
        staged_move(place, row.sha256)
        if existing is not None:
            return _replace_claims(existing, row, actor, now) if made_here else existing
        return _insert(row, actor, now)


def _check_identity(identity: str) -> None:
    if identity in unkept():
        raise LabellerRefused(
            f"{identity} is the name of the labeller that comes with this site. "
            "Choose another name."
        )
    if Labeller.objects.filter(identity=identity).exists():
        raise _identity_taken(identity)


def _identity_taken(identity: str) -> LabellerRefused:
    return LabellerRefused(
        f"There is already another labeller {identity}: the hashes of the weights begin alike, "
        "so scores could not be told apart. Train it under another name."
    )


def _insert(row: Labeller, actor: User | None, now: datetime) -> Labeller:
    """Save the row; where somebody was first with the same files, return theirs."""
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            audit_record(
                "labeller.register",
                row.identity,
                actor=actor,
                now=now,
                name=row.name,
                origin=str(row.origin),
                sha256=row.sha256,
                data=row.data_hash,
            )
    except IntegrityError as error:
        existing = Labeller.objects.filter(sha256=row.sha256).first()
        if existing is None:
            raise _identity_taken(row.identity) from error
        return existing
    return row


def json_checked(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The description of a training as JSON; raises ``LabellerRefused``."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        data = text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise LabellerRefused(f"{what} cannot be stored as JSON: {str(error)[:120]}.") from error
    if len(data) > MOST_REPORT_BYTES:
        raise LabellerRefused(f"{what} is larger than {MOST_REPORT_BYTES:,} bytes. Shorten it.")
    return json_object(data, what)


def _replace_claims(
    labeller: Labeller, measured: Labeller, actor: User | None, now: datetime
) -> Labeller:
    """Replace what its maker claimed by what a training measured."""
    if labeller.origin != Origin.UPLOADED:
        return labeller
    for field in ("origin", "data_hash", "recipe", "scores"):
        setattr(labeller, field, getattr(measured, field))
    labeller.save(update_fields=["origin", "data_hash", "recipe", "scores"])
    report_replace(labeller)
    audit_record(
        "labeller.measure", labeller.identity, actor=actor, now=now, data=labeller.data_hash
    )
    return labeller


def _without_folder(recipe: dict[str, Any]) -> dict[str, Any]:
    """A recipe with a backbone of this server under its folder's name alone."""
    backbone = recipe.get("backbone")
    return recipe | ({"backbone": without_paths(backbone)} if isinstance(backbone, str) else {})


def without_captions(report: dict[str, Any]) -> dict[str, Any]:
    """A report without the captions that are examples of errors."""
    return {key: _without_errors(value) for key, value in report.items() if key not in _OWN_FIELDS}


def _without_errors(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_errors(inner)
            for key, inner in value.items()
            if not (key == "errors" and isinstance(inner, list))
        }
    if isinstance(value, list):
        return [_without_errors(inner) for inner in value]
    return value


def labellers_lock(parameters: Mapping[str, Mapping[str, Any]]) -> None:
    """Lock the labellers that parameters name, so that nobody deletes one in this transaction."""
    parts = parameters.get("composite", {}).get("parts", {})
    named = [families.get("aces", {}).get("labeller") for families in (parameters, parts)]
    identities = [identity for identity in named if isinstance(identity, str)]
    if identities:
        list(Labeller.objects.select_for_update().filter(identity__in=identities).order_by("pk"))


@transaction.atomic
def labeller_delete(*, labeller: Labeller, actor: User | None, now: datetime) -> None:
    """Delete a labeller and its files; refused where something refers to it."""
    locked = Labeller.objects.select_for_update().get(pk=labeller.pk)
    reason = why_needed(locked)
    if reason:
        raise Refused(reason)
    audit_record(
        "labeller.delete",
        locked.identity,
        actor=actor,
        now=now,
        name=locked.name,
        sha256=locked.sha256,
    )
    locked.delete()
    transaction.on_commit(partial(_remove_files, locked.sha256))


def _remove_files(sha256: str) -> None:
    """Delete the files, unless the same labeller was stored again meanwhile."""
    if not Labeller.objects.filter(sha256=sha256).exists():
        files_delete(sha256)


def labeller_keep(
    *, folder: Path, name: str, note: str, actor: User | None, now: datetime
) -> Labeller:
    """Register a labeller of another machine; its report counts as its maker's claim.

    Raises ``LabellerRefused``; then nothing is stored.
    """
    report: dict[str, Any] = {}
    path = folder / REPORT
    if path.is_file():
        if path.stat().st_size > MOST_REPORT_BYTES:
            raise LabellerRefused(
                f"{REPORT} is larger than {MOST_REPORT_BYTES:,} bytes. Shorten it."
            )
        report = json_object(path.read_bytes(), REPORT)
    recipe, data_hash = report.get("recipe"), report.get("data_hash")
    if data_hash is None:
        data_hash = ""
    if not isinstance(data_hash, str) or not re.fullmatch(r"([0-9a-f]{64})?", data_hash):
        raise LabellerRefused(
            f"{REPORT} has the data_hash {str(data_hash)[:80]!r}. Give a sha256 (64 hex digits)."
        )
    return labeller_register(
        folder=folder,
        name=name,
        origin=Origin.UPLOADED,
        data_hash=data_hash,
        recipe=recipe if isinstance(recipe, dict) else {},
        scores=report,
        note=note,
        actor=actor,
        now=now,
    )
