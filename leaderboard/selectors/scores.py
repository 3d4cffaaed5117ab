"""Reading the scores of one submission."""

from leaderboard.models import Submission
from leaderboard.selectors.phases import Cell
from leaderboard.selectors.seen import results_seen


def scores_of(submission: Submission) -> dict[str, Cell]:
    """Give the published scores of a submission by metric."""
    results = results_seen(submission).defer("per_clip")
    return {
        row.metric: Cell(row.value, row.low, row.high, row.coverage, row.clips, row.signature)
        for row in results
    }
