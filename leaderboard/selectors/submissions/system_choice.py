"""The systems of a phase to choose from: names of all, and more only of those that are chosen.

A phase may have thousands. What is read of each besides its name, and what a page lists,
does not grow with them.
"""

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

from leaderboard.models import Phase, Submission
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.selectors.submissions.system_report import scored_lines, unranked_in
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    VisibleSubmission,
    all_visible,
    ranked_in,
    row_of_submission,
    submissions_read,
)
from leaderboard.web.version_cache import kept_for_version

LISTED = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """What a page lists: those that fit, at most ``LISTED`` of them, and those that are chosen.

    ``matching`` is how many fit, ``total`` how many there are.
    """

    options: tuple[RankedRow, ...]
    find: str
    matching: int
    total: int
    most: int = LISTED

    @property
    def searchable(self) -> bool:
        """Whether there are more than a page lists."""
        return self.total > self.most


def _row(row: AnySubmission | RankedRow) -> RankedRow:
    return row if isinstance(row, RankedRow) else row_of_submission(row)


def listed_of(
    every: Sequence[AnySubmission | RankedRow], find: str, chosen: Iterable[AnySubmission] = ()
) -> Listed:
    """List the systems with ``find`` in a name, in their order, and always the chosen ones."""
    find = find.strip()[:80]
    rows = [_row(row) for row in every]
    fits = [row for row in rows if _has(row.system_name, find) or _has(row.team_name, find)]
    shown = {*(row.key for row in fits[:LISTED]), *(row.pk for row in chosen)}
    options = tuple(row for row in rows if row.key in shown)
    return Listed(options, find, len(fits), len(rows))


def _has(name: str, find: str) -> bool:
    return find.casefold() in name.casefold()


@dataclass(frozen=True)
class SystemChoice:
    """The systems of a phase that have a ranking value, best first, and what does not compete."""

    view: Visibility
    ranked: tuple[RankedRow, ...]
    unranked: tuple[VisibleSubmission, ...]

    @cached_property
    def every(self) -> tuple[RankedRow, ...]:
        """All that may be chosen, in the order of the phase."""
        return (*self.ranked, *map(_row, self.unranked))

    def has(self, public_ids: Iterable[str]) -> bool:
        """Whether every one of these may be chosen."""
        return {row.public_id for row in self.every}.issuperset(public_ids)

    def read(self, public_ids: Collection[str]) -> list[VisibleSubmission]:
        """Read these systems, in the order of the phase whatever theirs."""
        wanted = set(public_ids)
        keys = [row.key for row in self.ranked if row.public_id in wanted]
        ranked = submissions_read(keys, self.view)
        return [*ranked, *(row for row in self.unranked if row.public_id in wanted)]

    def best(self, number: int) -> list[VisibleSubmission]:
        """Read the best systems."""
        return submissions_read([row.key for row in self.ranked[:number]], self.view)

    def listed(self, find: str, chosen: Iterable[AnySubmission]) -> Listed:
        """List the systems with ``find`` in a name, best first, and always the chosen ones."""
        return listed_of(self.every, find, chosen)


def pool_of(phase: Phase, *, view: Visibility = EVERYTHING) -> SystemChoice:
    """The systems of a phase to choose from."""
    ranking = ranking_of(phase, view=view, every_system=True)
    return SystemChoice(view, tuple(scored_lines(ranking)), tuple(unranked_in(ranking)))


def comparable_systems(phase: Phase, view: Visibility) -> tuple[VisibleSubmission, ...]:
    """All systems of a phase, with what comparing their clips needs, by the names that are shown.

    By those of the others their order would tell of them. One query where something has changed.
    """
    return kept_for_version(("comparable", phase.pk, view), lambda: _comparable(phase, view))


def _comparable(phase: Phase, view: Visibility) -> tuple[VisibleSubmission, ...]:
    rows = (
        Submission.objects.filter(ranked_in(phase.pk, view))
        .select_related("team", "other_references")
        .defer("other_references__payload", "description", "metadata", "warnings")
    )
    # What is kept for all knows nothing of the reader of this request.
    shared, challenge = copy(phase), copy(phase.challenge)
    challenge.asked_by = None
    shared.challenge = challenge
    stored = list(rows)
    for row in stored:
        row.phase = shared
    shown = all_visible(stored, view)
    return tuple(sorted(shown, key=lambda row: (row.system_name, row.pk)))
