"""Making a reference set of a part of a data set, for a phase where one is chosen."""

from dataclasses import dataclass

from django.db import transaction

from annotation.models import DataSet, Project, Publication
from annotation.selectors.data_sets.card import data_card, hidden_card
from annotation.selectors.data_sets.clips import captioned_clips, references_of_clips
from annotation.selectors.data_sets.files import json_line
from annotation.selectors.data_sets.stages import sounds_of, source_projects
from annotation.services.data_sets.making import DataSetAct
from leaderboard.models import Phase
from leaderboard.services.organising.references import MadeReferences, references_publish
from leaderboard.web.refusals import Refused


@dataclass(frozen=True, slots=True)
class PublicationChoice:
    """What is published: a part ("": all), for which phase, if any, and readable by everyone.

    ``seen`` is the content hash of what was looked at. ``confirmed``: also where another phase
    shows or hides the same captions.
    """

    part: str
    phase: Phase | None
    public: bool
    seen: str
    confirmed: bool = False


@transaction.atomic
def data_set_publish(
    *, data_set: DataSet, choice: PublicationChoice, act: DataSetAct
) -> Publication:
    """Publish a part; doing the same again changes nothing and gives the same publication."""
    locked = DataSet.objects.select_for_update().get(pk=data_set.pk)
    clips = [clip for clip in captioned_clips(locked, choice.part) if clip.captions]
    if not clips:
        where = f"the part {choice.part}" if choice.part else "the data set"
        raise Refused(f"No clip of {where} has a caption. Import captions first.")
    references = references_of_clips(clips)
    if references.content_hash != choice.seen:
        raise Refused(
            "The captions or parts have changed since you opened this page. Check them again, "
            "then publish."
        )
    if (done := _done_before(locked, choice)) is not None:
        return done
    # A recording that is removed meanwhile would be deleted before the phase has it.
    sources = [project.pk for project in source_projects(locked)]
    list(Project.objects.select_for_update(of=("self",)).filter(pk__in=sources).order_by("pk"))
    card = data_card(locked, choice.part)
    published = references_publish(
        made=MadeReferences(
            name=_name(locked, choice.part),
            content="".join(map(json_line, clips)).encode(),
            file_name=f"{locked.slug}.jsonl",
            sounds=sounds_of(locked),
            card={"open": card, "hidden": hidden_card(card, references.captions)},
        ),
        phase=choice.phase,
        public=choice.public,
        confirmed=choice.confirmed,
        actor=act.actor,
        now=act.now,
    )
    act.note(
        "publish",
        locked,
        part=choice.part,
        content_hash=published.content_hash,
        phase=str(choice.phase or ""),
    )
    return Publication.objects.create(
        data_set=locked,
        part=choice.part,
        reference_set=published,
        phase=choice.phase,
        card=card,
        by=act.actor,
        at=act.now,
    )


def _name(data_set: DataSet, part: str) -> str:
    return f"{data_set.name}, {part}" if part else data_set.name


def _done_before(data_set: DataSet, choice: PublicationChoice) -> Publication | None:
    """The publication of the same captions, where its phase is as it is asked for."""
    rows = Publication.objects.filter(
        data_set=data_set,
        part=choice.part,
        phase=choice.phase,
        reference_set__content_hash=choice.seen,
    )
    if choice.phase is not None:
        phase = Phase.objects.select_for_update().get(pk=choice.phase.pk)
        has = phase.reference_set.content_hash if phase.reference_set else None
        if phase.references_public != choice.public or has != choice.seen:
            return None
    return rows.first()
