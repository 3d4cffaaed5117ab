"""Bringing inventories in."""

from pathlib import Path
from typing import Any

import yaml

from annotation.labels import Label
from annotation.models import Scheme

SHIPPED = Path(__file__).resolve().parents[1] / "schemes"


class SchemeChanged(Exception):
    """A version that is already stored with other labels."""

    def __init__(self, slug: str, version: int) -> None:
        super().__init__(
            f"Version {version} of {slug} is stored with other labels, and versions never "
            "change. Give the changed inventory the next version."
        )


def scheme_store(*, definition: dict[str, Any]) -> Scheme:
    """Store a version of an inventory, or give it where it is stored already.

    Raises ``SchemeChanged``.
    """
    labels = [Label.from_json(row).to_json() for row in definition["labels"]]
    found, made = Scheme.objects.get_or_create(
        slug=definition["slug"],
        version=definition["version"],
        defaults={
            "title": definition["title"],
            "summary": definition.get("summary", ""),
            "labels": labels,
        },
    )
    if not made and found.labels != labels:
        raise SchemeChanged(found.slug, found.version)
    return found


def schemes_load() -> list[Scheme]:
    """Store the inventories that come with Earmark where they are missing."""
    files = sorted(SHIPPED.glob("aces-*.yaml"))
    return [scheme_store(definition=yaml.safe_load(file.read_text())) for file in files]


def mapped_from(target: str | None) -> list[str]:
    """Give the inventories from which labels are mapped to another (None: to any)."""
    rows = yaml.safe_load((SHIPPED / "mappings.yaml").read_text())
    return sorted({str(row["from"]) for row in rows if target in (None, row["to"])})
