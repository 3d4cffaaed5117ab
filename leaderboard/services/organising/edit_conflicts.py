"""Edit conflicts: somebody else has saved since this person began to edit."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Model


class ChangedMeanwhile(Exception):
    """Somebody else saved after this person had read the values.

    ``values`` are the present ones, by field.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__("Somebody else saved in the meantime. Your changes are not saved yet.")
        self.values = dict(values)


def values_of(row: Model, fields: Iterable[str]) -> dict[str, Any]:
    """Values of some fields in JSON's types, for a version and the audit log."""
    values = {name: getattr(row, name) for name in fields}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
    }


def version_of(row: Model, fields: Iterable[str]) -> str:
    """Short hash of the values of some fields; it changes whenever one of them does."""
    text = json.dumps(values_of(row, fields), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def values_write(
    row: Model, fields: Iterable[str], values: Mapping[str, Any], *, version: str
) -> dict[str, Any]:
    """Set fields of ``row``, locked; returns what changed, before and after, for the audit log.

    Raises ``ChangedMeanwhile`` where it is not what was read as ``version``.
    """
    names = tuple(fields)
    before = values_of(row, names)
    if version_of(row, names) != version:
        raise ChangedMeanwhile({name: getattr(row, name) for name in names})
    for name in names:
        setattr(row, name, values[name])
    after = values_of(row, names)
    changed = [name for name in names if before[name] != after[name]]
    return {
        "before": {name: before[name] for name in changed},
        "after": {name: after[name] for name in changed},
    }
