"""Making a data set, what is said of it, and a reference set of a part of it for a phase."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import DataSet, Project, Publication
from annotation.selectors.data_sets.card import data_card, hidden_card
from annotation.selectors.data_sets.clips import captioned_clips, references_of_clips
from annotation.selectors.data_sets.files import json_line
from annotation.selectors.data_sets.stages import sounds_of, source_projects
from annotation.services.projects import free_slug
from leaderboard.models import AuditEvent, Phase, User
from leaderboard.services.organising.references import MadeReferences, references_publish
from leaderboard.web.refusals import Refused

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


@transaction.atomic
def data_set_publish(
    *,
    data_set: DataSet,
    part: str,
    phase: Phase | None,
    public: bool,
    seen: str,
    act: DataSetAct,
    confirmed: bool = False,
) -> Publication:
    """Publish a part ("": all), ``public`` to everyone; again gives the same publication.

    ``seen`` is the content hash of what was looked at. ``confirmed``: also where another phase
    shows or hides the same captions.
    """
    locked = DataSet.objects.select_for_update().get(pk=data_set.pk)
    clips = [clip for clip in captioned_clips(locked, part) if clip.captions]
    if not clips:
        where = f"the part {part}" if part else "the data set"
        raise Refused(f"No clip of {where} has a caption. Import captions first.")
    references = references_of_clips(clips)
    if references.content_hash != seen:
        raise Refused(
            "The captions or parts have changed since you opened this page. Check them again, "
            "then publish."
        )
    before = Publication.objects.filter(
        data_set=locked, part=part, phase=phase, reference_set__content_hash=seen
    )
    if _stands(phase, public, seen) and (done := before.first()) is not None:
        return done
    # A recording that is removed meanwhile would be deleted before the phase has it.
    sources = [project.pk for project in source_projects(locked)]
    list(Project.objects.select_for_update(of=("self",)).filter(pk__in=sources).order_by("pk"))
    card = data_card(locked, part)
    published = references_publish(
        made=MadeReferences(
            name=f"{locked.name}, {part}" if part else locked.name,
            content="".join(map(json_line, clips)).encode(),
            file_name=f"{locked.slug}.jsonl",
            sounds=sounds_of(locked),
            card={"open": card, "hidden": hidden_card(card, references.captions)},
        ),
        phase=phase,
        public=public,
        confirmed=confirmed,
        actor=act.actor,
        now=act.now,
    )
    act.note(
        "publish",
        locked,
        part=part,
        content_hash=published.content_hash,
        phase=str(phase or ""),
    )
    return Publication.objects.create(
        data_set=locked,
        part=part,
        reference_set=published,
        phase=phase,
        card=card,
        by=act.actor,
        at=act.now,
    )


def _stands(asked: Phase | None, public: bool, seen: str) -> bool:
    """Whether a phase is as it is asked for; none is."""
    if asked is None:
        return True
    phase = Phase.objects.select_for_update().get(pk=asked.pk)
    has = phase.reference_set.content_hash if phase.reference_set else None
    return phase.references_public == public and has == seen
