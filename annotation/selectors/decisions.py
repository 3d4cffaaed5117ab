"""What in a project waits for a decision of those who manage it."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import (
    COUNTING,
    UNCOUNTED,
    Annotation,
    Import,
    ImportState,
    Lateness,
    Project,
)
from annotation.selectors.adjudication.cases import adjudication_board_for
from annotation.selectors.captions.facts import NOTED, Mark
from leaderboard.models import User


@dataclass(frozen=True, slots=True)
class PendingDecisions:
    """Counts of what waits.

    ``disputed`` are captions that the viewer can decide; ``late`` answers that were made or
    changed when their maker could know of others' labels, ``uncounted`` ones that are kept
    without counting; ``imports`` files of which nobody chose yet; ``marks`` says of how many
    captions somebody noted what, as the list of captions finds them.
    """

    disputed: int
    late: int
    uncounted: int
    imports: tuple[Import, ...]
    marks: dict[Mark, int]

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return any((self.disputed, self.late, self.uncounted, self.imports, self.marks))


def pending_decisions(project: Project, viewer: User) -> PendingDecisions:
    """Count it; reads as much as the page on which captions are adjudicated."""
    marks = Annotation.every.filter(item__project=project).aggregate(
        **{mark: Count("item", filter=noted, distinct=True) for mark, noted in NOTED.items()}
    )
    answers = Annotation.objects.filter(item__project=project)
    waiting = Import.objects.filter(project=project, state=ImportState.WAITING)
    return PendingDecisions(
        disputed=len(adjudication_board_for(project, viewer).to_decide),
        late=answers.filter(COUNTING).exclude(late=Lateness.NO).count(),
        uncounted=answers.filter(UNCOUNTED).count(),
        imports=tuple(waiting.defer("content", "copies").select_related("by")),
        marks={mark: marks[mark] for mark in NOTED if marks[mark] and mark != Mark.SENT_BACK},
    )
