"""Drawing pairs of a phase's captions, and handing what judges said of them over to the phase."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from annotation.batches import AT_ONCE
from annotation.kinds.judge.drawing import (
    DrawableClip,
    NotEnoughPairs,
    PairKey,
    draw_pairs,
    pair_key,
)
from annotation.models import Item, PairDraw, Project
from annotation.selectors.judging.votes import votes_of
from annotation.services.projects import ProjectAct, Task, items_add
from leaderboard.models import JudgmentSet, Phase, ReferenceSet, Submission
from leaderboard.selectors.clips.corpus import corpus_of, references_of
from leaderboard.services.judgments.states import judgments_store
from leaderboard.web.refusals import Refused


@transaction.atomic
def pairs_draw(
    *,
    project: Project,
    phase: Phase,
    systems: Sequence[Submission],
    counts: Mapping[str, int],
    seed: int,
    act: ProjectAct,
) -> list[Item]:
    """Draw so many pairs of each kind that the project does not have yet and add them, all or none.

    Callers have checked that the actor organises the phase: its references may be hidden.
    Refused where they are of another phase or too few; raises ``CaptionsUnreadable``, too.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    earlier = PairDraw.objects.filter(project=locked).select_related("phase__challenge").first()
    if earlier is not None and earlier.phase_id != phase.pk:
        named = "one that is gone" if earlier.phase is None else str(earlier.phase)
        raise Refused(
            f"The pairs of this project come from another phase, {named}. Make a separate "
            "project for each phase, so that the results belong to one ranking."
        )
    stored = phase.reference_set
    if stored is None:
        raise Refused(f"{phase} has no references. Add them to the phase first.")
    ids = [system.public_id for system in systems]
    captions = [corpus_of(system).captions for system in systems]
    clips = [
        DrawableClip(position, clip.references, tuple(texts[position] for texts in captions))
        for position, clip in enumerate(references_of(stored.content_hash).clips)
    ]
    taken = _taken(locked, stored)
    try:
        pairs = draw_pairs(clips, ids, counts, seed=seed, taken=taken)
    except NotEnoughPairs as few:
        raise Refused(str(few)) from few
    PairDraw.objects.create(
        project=locked,
        phase=phase,
        counts=dict(counts),
        systems=ids,
        seed=seed,
        by=act.actor,
        at=act.now,
    )
    names = references_of(stored.content_hash).file_names
    tasks = [
        Task(
            f"A: {pair.captions[0]}\nB: {pair.captions[1]}",
            meta={"file_name": names[pair.position]},
            clip=(stored.pk, pair.position),
            content={
                "captions": list(pair.captions),
                "facet": pair.facet,
                "sources": list(pair.sources),
            },
        )
        for pair in pairs
    ]
    act.note("pairs", locked, phase=str(phase), counts=dict(counts), systems=ids)
    return items_add(project=locked, tasks=tasks)


def _taken(project: Project, stored: ReferenceSet) -> frozenset[PairKey]:
    rows = Item.with_removed.filter(
        project=project, reference_set__content_hash=stored.content_hash, clip__isnull=False
    )
    return frozenset(
        pair_key(clip, content["captions"])
        for clip, content in rows.values_list("clip", "content").iterator(AT_ONCE)
        if clip is not None
    )


@transaction.atomic
def judgments_hand_over(*, project: Project, phase: Phase, act: ProjectAct) -> JudgmentSet:
    """Have the metrics of a phase compared with the votes of a project as they are now.

    Callers have checked that the actor organises the phase. Refused where no pair is decided.
    """
    pairs = [pair.in_order for pair in votes_of(project).pairs]
    act.note("judgments", project, phase=str(phase), pairs=len(pairs))
    return judgments_store(
        phase=phase,
        actor=act.actor,
        now=act.now,
        source=f"labelling/{project.slug}",
        name=project.name,
        pairs=[
            {
                "clip": pair.clip,
                "facet": pair.facet,
                "captions": list(pair.captions),
                "truth": float(sum(pair.votes.values())),
                "votes": list(pair.votes.values()),
            }
            for pair in pairs
        ],
        judges=len({judge for pair in pairs for judge in pair.votes}),
        votes=sum(len(pair.votes) for pair in pairs),
    )
