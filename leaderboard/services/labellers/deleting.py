"""Deleting a labeller that nothing needs, and keeping those that something does."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from leaderboard.models import Labeller, User
from leaderboard.selectors.labellers.needed import why_needed
from leaderboard.services.audit import audit_record
from leaderboard.services.labellers.storing import remove


class LabellerNeeded(Exception):
    """A labeller that stays, since something refers to it; the text says what."""


def labellers_hold(parameters: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep the labeller that parameters name from being deleted until the transaction ends."""
    identity = parameters.get("aces", {}).get("labeller")
    if isinstance(identity, str):
        list(Labeller.objects.select_for_update().filter(identity=identity))


@transaction.atomic
def labeller_delete(*, labeller: Labeller, actor: User | None, now: datetime) -> None:
    """Delete a labeller and its files; raise ``LabellerNeeded`` where something refers to it."""
    locked = Labeller.objects.select_for_update().get(pk=labeller.pk)
    reason = why_needed(locked)
    if reason:
        raise LabellerNeeded(reason)
    audit_record(
        at=now,
        actor=actor,
        action="labeller.delete",
        target=locked.identity,
        name=locked.name,
        sha256=locked.sha256,
    )
    locked.delete()
    transaction.on_commit(partial(_remove_files, locked.sha256))


def _remove_files(sha256: str) -> None:
    """Delete the files, unless the same labeller was stored again meanwhile."""
    if not Labeller.objects.filter(sha256=sha256).exists():
        remove(sha256)
