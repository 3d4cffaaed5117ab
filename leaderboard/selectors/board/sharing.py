"""What the picture beside a link to a board or to a system says: nothing but what visitors see."""

from datetime import datetime

from django.conf import settings

from leaderboard.models import Phase
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.board.table import table_of
from leaderboard.selectors.submissions.system_report import report_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.templatetags.numbers import as_number, interval_text
from leaderboard.web.share_pictures import ShareLine, SharePicture

LINES = 4


def shared_board(phase: Phase, *, with_scores: bool, now: datetime) -> SharePicture:
    """A phase and, ``with_scores``, those who lead it."""
    lines: tuple[ShareLine, ...] = ()
    foot = "The scores of this phase are not public."
    if with_scores:
        table = table_of(phase, BoardQuery(), view=public_view(phase, now))
        lines = tuple(_line(row, phase) for row in table.rows[:LINES] if row.rank is not None)
        number = f"{table.total:,} system{'' if table.total == 1 else 's'}"
        foot = f"{number}, ranked by {table.ranking.info.label}"
    return SharePicture(settings.SITE_NAME, phase.challenge.title, phase.name, lines, foot)


def _line(row: RankedRow, phase: Phase) -> ShareLine:
    shown = row.shown(phase.ranking_metric)
    value = as_number(shown.value, phase.ranking)
    return ShareLine(f"{row.rank}", f"{row.system_name}, {row.team_name}", value)


def shared_system(submission: AnySubmission, *, with_others: bool, now: datetime) -> SharePicture:
    """A system and its main scores; its rank where ``with_others`` everyone sees those of all."""
    phase = submission.phase
    report = report_of(submission, with_others=with_others, view=public_view(phase, now))
    scores = report.leading[:LINES] if with_others else ()
    lines = tuple(
        ShareLine(item.info.label, interval_text(item.low, item.high, item.info), number)
        for item, _ in scores
        if (number := as_number(item.value, item.info))
    )
    rank = report.place.rank if report.place else None
    foot = f"{phase.challenge.title}, {phase.name}"
    if report.place and rank is not None:
        foot = f"Rank {rank} of {report.place.teams}, {foot}"
    names = submission.system_name, submission.team.name
    return SharePicture(settings.SITE_NAME, *names, lines, foot)
