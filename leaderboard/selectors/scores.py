"""Reading the scores of one submission."""

from leaderboard.models import MetricResult, Submission
from leaderboard.selectors.phases import Cell


def scores_of(submission: Submission) -> dict[str, Cell]:
    """Give the published scores of a submission by metric."""
    results = MetricResult.objects.filter(submission=submission, evaluation__published=True).defer(
        "per_clip"
    )
    return {
        row.metric: Cell(row.value, row.low, row.high, row.coverage, row.clips, row.signature)
        for row in results
    }
