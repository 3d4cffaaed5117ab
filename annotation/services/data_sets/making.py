"""Making a data set, and what is said of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import DataSet, Project
from annotation.services.projects import free_slug
from leaderboard.models import AuditEvent, User

# Addresses under /annotate/data-sets/ that are no data set's: those of pages, and those that
# belong to a project with the address "data-sets", which there may be from before.
_PAGES = {
    "captions",
    "choose",
    "export",
    "guidelines",
    "history",
    "manage",
    "new",
    "scheme",
    "sounds",
}
RESERVED = _PAGES | {"adjudicate", "agreement", "models", "qualification", "quality"}


@dataclass(frozen=True, slots=True)
class DataSetAct:
    """Who does something to a data set, and when."""

    actor: User
    now: datetime

    def note(self, action: str, data_set: DataSet, **details: Any) -> None:
        """Add it to the audit trail."""
        AuditEvent.objects.create(
            at=self.now,
            actor=self.actor,
            action=f"data-set.{action}",
            target=f"data-sets/{data_set.slug}",
            details=details,
        )


def _was_used(slug: str) -> bool:
    """Whether a data set has or had this address."""
    history = AuditEvent.objects.filter(target=f"data-sets/{slug}")
    return slug in RESERVED or DataSet.objects.filter(slug=slug).exists() or history.exists()


@transaction.atomic
def data_set_create(*, name: str, act: DataSetAct, source: Project | None = None) -> DataSet:
    """Make an empty data set that the actor owns, for what a project has.

    It wants captions of as many words as the project does.
    """
    slug = free_slug(name, otherwise="data-set", is_used=_was_used)
    data_set = DataSet(slug=slug, name=name, owner=act.actor, created_at=act.now)
    if source is not None:
        words = source.work_kind.options(source.kind_options)
        data_set.source = source
        data_set.min_words = words.get("least", data_set.min_words)
        data_set.max_words = words.get("most", data_set.max_words)
    data_set.full_clean()
    data_set.save()
    act.note("create", data_set)
    return data_set


@transaction.atomic
def procedure_change(*, data_set: DataSet, text: str, act: DataSetAct) -> None:
    """Change the text that tells how a data set was made; published cards stay as they are."""
    if DataSet.objects.filter(pk=data_set.pk).exclude(procedure=text).update(procedure=text):
        act.note("procedure", data_set)
