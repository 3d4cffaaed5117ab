"""Changing what is said of a system; its captions never change."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.models import Submission, User
from leaderboard.packages.metadata import Metadata
from leaderboard.packages.yaml_files import metadata_of
from leaderboard.services.audit import audit_record


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be said from now on; None leaves it as it is."""

    system_name: str | None = None
    description: str | None = None
    metadata: Metadata | None = None


@transaction.atomic
def submission_describe(
    *, submission: Submission, actor: User, changes: Changes, now: datetime
) -> Submission:
    """Change the name, description or metadata of a system, and keep in the log what changed."""
    current = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
    wanted: dict[str, Any] = {}
    if changes.system_name is not None:
        wanted["system_name"] = changes.system_name
    if changes.description is not None:
        wanted["description"] = changes.description
    if changes.metadata is not None:
        wanted["metadata"] = changes.metadata.to_dict()
        wanted["label"] = _label(current, changes.metadata)
    changed = {name: value for name, value in wanted.items() if getattr(current, name) != value}
    if not changed:
        return submission
    before = {name: getattr(current, name) for name in changed}
    Submission.objects.filter(pk=current.pk).update(**changed)
    audit_record(
        at=now,
        actor=actor,
        action="submission.describe",
        target=submission.public_id,
        challenge=submission.phase.challenge,
        changed=sorted(_paths(before, changed)),
        **{f"{name}_before": before[name] for name in ("system_name", "label") if name in before},
    )
    for name, value in changed.items():
        setattr(submission, name, value)
    return submission


def _label(current: Submission, metadata: Metadata) -> str:
    """Give the label from now on; one that came from the names of files stays."""
    said = (metadata.submission.label or "")[:80]
    before = metadata_of(current.metadata).value or Metadata()
    from_files = current.label != (before.submission.label or "")[:80]
    return current.label if not said and from_files else said


def _paths(before: Mapping[str, Any], after: Mapping[str, Any], start: str = "") -> set[str]:
    """Name the values that differ, by the way to them."""
    found: set[str] = set()
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        path = f"{start}.{key}" if start else str(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found |= _paths(old, new, path)
        else:
            found.add(path)
    return found
