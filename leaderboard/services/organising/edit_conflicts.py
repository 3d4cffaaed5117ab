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
    return {name: _plain(getattr(row, name)) for name in fields}


def version_of(row: Model, fields: Iterable[str]) -> str:
    """Short hash of the values of some fields; it changes whenever one of them does."""
    text = json.dumps(values_of(row, fields), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def version_check(row: Model, fields: Iterable[str], version: str) -> None:
    """Raise ``ChangedMeanwhile`` where ``row``, locked, is not what was read as ``version``."""
    names = tuple(fields)
    if version_of(row, names) != version:
        raise ChangedMeanwhile({name: getattr(row, name) for name in names})


def changed_values(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """What changed, before and after, for the audit log."""
    changed = [name for name in after if before[name] != after[name]]
    return {
        "before": {name: before[name] for name in changed},
        "after": {name: after[name] for name in changed},
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
