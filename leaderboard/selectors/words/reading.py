"""The descriptors of systems and references, from what ACES stored, for page, file and API."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from earmark.signature import field_in
from leaderboard.models import ClipDetails, EvaluationState, LabelledReferences, Phase
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.clips.corpus import evaluations_of
from leaderboard.selectors.clips.findings import slimmed_blocks
from leaderboard.selectors.submissions.system_choice import SystemChoice
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.selectors.words.counts import WordCounts, counts_of, slim_captions, slim_references

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
    sets = []
    for row in systems:
        counts = _ours(*scored[row.pk].key) if row.pk in scored else None
        if counts is not None:
            labeller = scored[row.pk].labeller
            sets.append(CaptionSet(row.public_id, row.system_name, row, row, labeller, counts))
    sources = [scored[row.pk] for row in (*systems, *references) if row.pk in scored]
    reference_set = _references(sources, stored)
    having = {one.system for one in sets}
    without = tuple(row for row in systems if row not in having)
    return Sets((*([reference_set] if reference_set else []), *sets), without)


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


MOST_SYSTEMS = 4
# Where nobody chooses: so many of the best, which leaves a place to people's own captions.
FIRST_SYSTEMS = 3


@dataclass(frozen=True, slots=True)
class WordsChoice:
    """Systems whose descriptors are shown beside those of the references.

    ``sources`` are further systems from which the references' labels may be read, ``stored``
    the labels that were made where there is no such system. ``own`` is the system whose page
    it is, None: a phase's.
    """

    systems: tuple[AnySubmission, ...]
    sources: tuple[AnySubmission, ...]
    stored: LabelledReferences | None
    own: AnySubmission | None = None

    @property
    def stamp(self) -> object:
        """Changes whenever what is shown may."""
        stored = self.stored and self.stored.pk
        return systems_stamp([*self.systems, *self.sources]), len(self.systems), stored

    def has(self, key: str) -> bool:
        """Whether this names the references or one of the systems."""
        return key == REFERENCES or any(system.public_id == key for system in self.systems)

    def read(
        self, against: str
    ) -> tuple[Sequence[CaptionSet], CaptionSet | None, Sequence[AnySubmission]]:
        """The sets, that which is compared with (None where there is no set), who has none."""
        sets = sets_of(self.systems, references=self.sources, stored=self.stored)
        return sets.sets, sets.of(against) or next(iter(sets.sets), None), sets.without


def words_of_phase(
    phase: Phase, pool: SystemChoice, public_ids: Collection[str], *, references_shown: bool
) -> WordsChoice:
    """The systems that are asked for, at most four, in the order of the phase; else the best."""
    chosen = [option.public_id for option in pool.every if option.public_id in public_ids]
    best = pool.best(FIRST_SYSTEMS)
    systems = pool.read(chosen[:MOST_SYSTEMS]) or [*best, *pool.unranked][:MOST_SYSTEMS]
    sources = [row for row in (*best[:1], *pool.unranked[:1]) if row not in systems]
    stored = stored_of(phase) if references_shown else None
    return WordsChoice(tuple(systems), tuple(sources), stored)


def words_of_system(
    system: AnySubmission, others: Sequence[AnySubmission], beside: str
) -> WordsChoice | None:
    """A system and the one of the others that is named, if any; None: there is none of that id."""
    other = [row for row in others if row.public_id == beside]
    if beside and not other:
        return None
    systems = (system, *other)
    whole = [row for row in others if row.other_references_id is None and row not in systems]
    return WordsChoice(systems, tuple(whole[:1]), stored_of(system.phase), own=system)
