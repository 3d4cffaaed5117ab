"""What the tests of pages share: scored systems with known values, and the text of a page."""

import re
from html import unescape

from leaderboard.models import MetricResult, Phase, Submission, Team
from tests.factories import finish, submit


def scored(
    phase: Phase, team: Team, name: str, value: float | None, *, metric: str = ""
) -> Submission:
    """Submit and score a system; its ranking metric (or ``metric``) gets exactly ``value``."""
    submission = submit(phase, team, name=name)
    finish(submission)
    MetricResult.objects.filter(
        submission=submission, metric=metric or phase.ranking_metric
    ).update(value=value, low=value, high=value)
    return submission


def text(content: bytes) -> str:
    """What a reader of the page sees, spaces collapsed."""
    found = re.search(r"<main[^>]*>(.*)</main>", content.decode(), re.DOTALL)
    return plain(found[1] if found else "")


def plain(html: str) -> str:
    """Take the markup out of a piece of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html))).strip()
