"""Bringing inventories in."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import yaml

from annotation.agreement.label_sets import LabelMapping
from annotation.models import KeyChoice, Scheme
from annotation.models.scheme import Label
from annotation.selectors.inventories import SHIPPED
from leaderboard.models import User
from leaderboard.web.refusals import Refused


def scheme_store(*, definition: dict[str, Any]) -> Scheme:
    """Store a version of an inventory, or give it where it is stored already."""
    labels = [Label.from_json(row).to_json() for row in definition["labels"]]
    scheme, created = Scheme.objects.get_or_create(
        slug=definition["slug"],
        version=definition["version"],
        defaults={
            "title": definition["title"],
            "summary": definition.get("summary", ""),
            "labels": labels,
        },
    )
    if not created and scheme.labels != labels:
        raise Refused(
            f"Version {scheme.version} of {scheme.slug} is stored with other labels, and versions "
            "never change. Give the changed inventory the next version."
        )
    return scheme


def schemes_load() -> list[Scheme]:
    """Store the inventories that come with Earmark where they are missing."""
    return [scheme_store(definition=definition) for definition in _shipped_definitions()]


@cache
def _shipped_definitions() -> tuple[dict[str, Any], ...]:
    """What the files of the shipped inventories say; parsing them takes 20 ms."""
    return tuple(yaml.safe_load(file.read_text()) for file in sorted(SHIPPED.glob("aces-*.yaml")))


def relabelled_spans(
    spans: Sequence[Mapping[str, Any]], mapping: LabelMapping, text: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Relabel spans that have one equivalent; of several, a question each; of none, left out."""
    relabelled: list[dict[str, Any]] = []
    questions: list[str] = []
    for span in spans:
        names = mapping.get(span["label"], (span["label"],))
        if len(names) == 1:
            relabelled.append({**span, "label": names[0]})
        elif names:
            words = text[span["start"] : span["end"]]
            questions.append(f"\u201c{words}\u201d was {span['label']}: {' or '.join(names)}?")
    return relabelled, questions


def keys_choose(*, user: User, scheme: Scheme, keys: Mapping[str, str], now: datetime) -> KeyChoice:
    """Keep all changed keys of a scheme; none brings back those of the scheme."""
    choice, _ = KeyChoice.objects.update_or_create(
        user=user, scheme=scheme, defaults={"keys": dict(keys), "updated_at": now}
    )
    return choice
