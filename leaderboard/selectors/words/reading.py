"""Reading the descriptors of systems and references from what ACES stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from leaderboard.models import ClipDetails, EvaluationState, LabelledReferences, Phase
from leaderboard.selectors.clips.corpus import evaluations_of
from leaderboard.selectors.clips.findings import slimmed_blocks
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.selectors.words.counts import WordCounts, counts_of, slim_captions, slim_references
from scoring.signature import field_in

FAMILY = "aces"
REFERENCES = "references"


@dataclass(frozen=True, slots=True)
class CaptionSet:
    """Captions with their descriptors.

    ``system`` None: the references. ``key`` names the set in addresses, ``opens``
    the system under which its clips are looked at, None where there is none;
    ``labeller`` is who labelled.
    """

    key: str
    name: str
    system: AnySubmission | None
    opens: AnySubmission | None
    labeller: str
    counts: WordCounts


@dataclass(frozen=True, slots=True)
class Sets:
    """The sets that could be read, references first, and the systems that have none."""

    sets: tuple[CaptionSet, ...]
    without: tuple[AnySubmission, ...]

    def of(self, key: str) -> CaptionSet | None:
        """A set by its name in addresses."""
        return next((one for one in self.sets if one.key == key), None)


def sets_of(
    systems: Sequence[AnySubmission],
    *,
    references: Sequence[AnySubmission] = (),
    stored: LabelledReferences | None = None,
) -> Sets:
    """Read the references and these systems; one query for each that is new to the process.

    ``references`` are further systems of the phase from which the references' labels may be
    taken. Those of the first one that was scored against all of them count: what people
    wrote is scored against the others, whose labels count only where there are no more.
    ``stored`` counts where no system has been scored.
    """
    scored = _scored([*systems, *references])
    found = []
    for row in systems:
        counts = _ours(*scored[row.pk].key) if row.pk in scored else None
        if counts is not None:
            labeller = scored[row.pk].labeller
            found.append(CaptionSet(row.public_id, row.system_name, row, row, labeller, counts))
    sources = [scored[row.pk] for row in (*systems, *references) if row.pk in scored]
    reference_set = _references(sources, stored)
    having = {one.system for one in found}
    without = tuple(row for row in systems if row not in having)
    return Sets((*([reference_set] if reference_set else []), *found), without)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A system that ACES has scored: who labelled, the evaluation and its attempt."""

    system: AnySubmission
    labeller: str
    key: tuple[int, tuple[object, ...]]

    @property
    def against_all(self) -> bool:
        """Whether it was scored against all references."""
        return self.system.other_references_id is None


def _scored(systems: Sequence[AnySubmission]) -> dict[int, _Scored]:
    by_key = {system.pk: system for system in systems}
    if not by_key:
        return {}
    rows = evaluations_of(*by_key.values()).filter(family=FAMILY, state=EvaluationState.DONE)
    values = rows.values_list("submission_id", "signature", "pk", "token", "finished_at")
    return {
        submission: _Scored(by_key[submission], field_in(signature, "desc"), (pk, tuple(attempt)))
        for submission, signature, pk, *attempt in values
    }


def _references(sources: Sequence[_Scored], stored: LabelledReferences | None) -> CaptionSet | None:
    """The references from the first source that has them; None where none has."""
    # A sort keeps the order of equals.
    for source in sorted(sources, key=lambda one: not one.against_all):
        if stored is not None and not source.against_all:
            break
        counts = _theirs(*source.key)
        if counts is not None:
            name = "References" if source.against_all else "The other references"
            return CaptionSet(REFERENCES, name, None, source.system, source.labeller, counts)
    if stored is None:
        return None
    opens = sources[0].system if sources else None
    return CaptionSet(REFERENCES, "References", None, opens, stored.identity, _stored(stored.pk))


def stored_of(phase: Phase) -> LabelledReferences | None:
    """The labels that were made of a phase's references, the latest; None: there are none."""
    rows = LabelledReferences.objects.filter(reference_set=phase.reference_set_id)
    return rows.defer("content").first()


@lru_cache(maxsize=8)
def _stored(pk: int) -> WordCounts:
    """Count the labels of references once per process: they never change."""
    content = LabelledReferences.objects.values_list("content", flat=True).get(pk=pk)
    clips = ClipDetails(first_clip=0, content=content).read()
    return counts_of(
        (number, caption)
        for number, clip in enumerate(clips, 1)
        for caption in slim_references(clip)
    )


# References have five times the words of a system, so that fewer are kept.
@lru_cache(maxsize=8)
def _theirs(evaluation: int, _attempt: tuple[object, ...]) -> WordCounts | None:
    """Count the references of an evaluation once per process and attempt."""
    clips = slimmed_blocks(ClipDetails.objects.filter(evaluation=evaluation), slim_references)
    if clips is None:
        return None
    return counts_of(
        (number, caption) for number, references in enumerate(clips, 1) for caption in references
    )


@lru_cache(maxsize=32)
def _ours(evaluation: int, _attempt: tuple[object, ...]) -> WordCounts | None:
    """Count the captions of an evaluation once per process and attempt."""
    clips = slimmed_blocks(ClipDetails.objects.filter(evaluation=evaluation), slim_captions)
    return None if clips is None else counts_of(enumerate(clips, 1))
