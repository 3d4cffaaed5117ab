"""Taking a labeller into the registry."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from leaderboard.models import Labeller, Origin, User
from leaderboard.places import without_places
from leaderboard.selectors.labellers.files import artefact_digest, unkept
from leaderboard.services.audit import audit_record
from leaderboard.services.labellers.backbones import backbone_named, backbone_placed
from leaderboard.services.labellers.checking import Checked, json_object, labeller_checked
from leaderboard.services.labellers.refusing import LabellerRefused
from leaderboard.services.labellers.storing import (
    report_replace,
    settle,
    staging,
    take_files,
    write_report,
)

MOST_REPORT_BYTES = 1_000_000
# Of a report what has fields of its own.
_APART = {"data_hash", "recipe"}


class IdentityTaken(LabellerRefused):
    """Another labeller has the same name in signatures."""

    def __init__(self, identity: str) -> None:
        super().__init__(
            f"Another labeller that is kept here is called {identity}: its weights begin with the "
            "same hash and its other content differs, so that scores could not be told apart. "
            "Train it under another name."
        )


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
    """Keep a labeller, its files copied from ``folder``, which stays as it is.

    ``name`` is for people; what stands in signatures is the name in config.json.
    ``scores`` is a report as ``report_json`` gives it; captions in it are not kept, since
    others may see scores who may not see captions. The same files again give the row
    that is there, its files put right where they were damaged; what was only claimed of
    it is replaced by what was measured here. Raises ``LabellerRefused``; then nothing is
    kept.
    """
    made_here = origin == Origin.TRAINED
    kept = plain(without_captions(dict(scores)), "The report")
    choices = _without_places(plain(dict(recipe), "The recipe"))
    with staging() as place:
        take_files(folder, place)
        backbone_named(place) if made_here else backbone_placed(place)
        sha256 = artefact_digest(place)
        checked = labeller_checked(place, made_here=made_here)
        told = {"data_hash": data_hash, "recipe": choices, **kept}
        write_report(place, report_text(told))
        found = Labeller.objects.filter(sha256=sha256).first()
        if found is None:
            _check_identity(checked)
        settle(place, sha256)
        if found is not None:
            return _measured(found, told, actor, now) if made_here else found
        row = Labeller(
            name=name.strip()[:60] or checked.name,
            identity=checked.identity,
            sha256=sha256,
            size=checked.size,
            labels=list(checked.labels),
            origin=origin,
            data_hash=data_hash,
            recipe=choices,
            scores=kept,
            note=note.strip()[:500],
            made_by=actor,
            made_at=now,
        )
        return _stored(row, actor, now)


def _check_identity(checked: Checked) -> None:
    if checked.identity in unkept():
        raise LabellerRefused(
            f"{checked.identity} is the name of the labeller that comes with this site."
        )
    if Labeller.objects.filter(identity=checked.identity).exists():
        raise IdentityTaken(checked.identity)


def _stored(row: Labeller, actor: User | None, now: datetime) -> Labeller:
    """Write the record; where another was first with the same files, give theirs."""
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            audit_record(
                at=now,
                actor=actor,
                action="labeller.register",
                target=row.identity,
                name=row.name,
                origin=str(row.origin),
                sha256=row.sha256,
                data=row.data_hash,
            )
    except IntegrityError as error:
        found = Labeller.objects.filter(sha256=row.sha256).first()
        if found is None:
            raise IdentityTaken(row.identity) from error
        return found
    return row


def plain(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Give what is told of a training as JSON, or raise ``LabellerRefused``."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        data = text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise LabellerRefused(f"{what} cannot be kept: {str(error)[:120]}.") from error
    if len(data) > MOST_REPORT_BYTES:
        raise LabellerRefused(f"{what} is larger than {MOST_REPORT_BYTES:,} bytes.")
    return json_object(data, what)


def _measured(
    found: Labeller, told: Mapping[str, Any], actor: User | None, now: datetime
) -> Labeller:
    """Put what a training measured in the place of what somebody claimed who sent it before."""
    if found.origin != Origin.UPLOADED:
        return found
    found.origin, found.data_hash = Origin.TRAINED, told["data_hash"]
    found.recipe = told["recipe"]
    found.scores = {key: value for key, value in told.items() if key not in _APART}
    found.save(update_fields=["origin", "data_hash", "recipe", "scores"])
    report_replace(found.sha256, report_text(told))
    audit_record(
        at=now,
        actor=actor,
        action="labeller.measure",
        target=found.identity,
        data=found.data_hash,
    )
    return found


def _without_places(recipe: dict[str, Any]) -> dict[str, Any]:
    """Name a backbone that lies in a folder of this server by its folder's name alone."""
    backbone = recipe.get("backbone")
    if isinstance(backbone, str):
        return {**recipe, "backbone": without_places(backbone)}
    return recipe


def report_text(told: Mapping[str, Any]) -> str:
    """Write a report as it lies beside the weights."""
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def without_captions(report: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a report the captions that stand in it as examples of errors."""
    return {key: _without_errors(value) for key, value in report.items() if key not in _APART}


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
