"""Which systems stand side by side, for page, file and API alike."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from leaderboard.models import LabelledReferences, Phase
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.submissions.system_choice import SystemChoice
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.selectors.words.reading import REFERENCES, CaptionSet, sets_of, stored_of

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
        found = sets_of(self.systems, references=self.sources, stored=self.stored)
        return found.sets, found.of(against) or next(iter(found.sets), None), found.without


def words_of_phase(
    phase: Phase, pool: SystemChoice, asked: Collection[str], *, references_shown: bool
) -> WordsChoice:
    """The systems that are asked for, at most four, in the order of the phase; else the best."""
    chosen = [option.public_id for option in pool.every if option.public_id in asked]
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
