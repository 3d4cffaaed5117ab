"""Who is behind a system, for those who may know, and another name for all others.

The one place that hides names. Selectors that hand out submissions for others'
eyes pass them through ``named``; what comes out is for reading and is never saved.
"""

from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from pathlib import PurePath

from django.conf import settings
from django.utils.crypto import salted_hmac

from leaderboard.models import Kind, Submission, Team
from leaderboard.selectors.view import View

# Without vowels, so that no alias is a word, and without what is easily confused.
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXZ"
# 14 million names: among 500 teams two share one in a phase of a hundred.
LENGTH = 5
SALT = "leaderboard.selectors.naming"


def alias(phase: int, kind: str, key: int) -> str:
    """Give the code that stands for something in a phase.

    It comes from the installation's secret, so that it tells neither who it is nor
    who came first, is another one in another phase and stays the same.
    """
    return _alias(settings.SECRET_KEY, phase, kind, key)


@lru_cache(maxsize=20_000)
def _alias(secret: str, phase: int, kind: str, key: int) -> str:
    """Make a code once per process: a board of thousands asks for all of them each time."""
    value = f"{phase}:{kind}:{key}"
    digest = salted_hmac(SALT, value, secret=secret, algorithm="sha256").digest()
    number = int.from_bytes(digest)
    letters = []
    for _ in range(LENGTH):
        number, at = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[at])
    return "".join(letters)


def team_alias(phase: int, team: int) -> str:
    """Name a team of a phase whose name is hidden."""
    return f"Team {alias(phase, 'team', team)}"


def system_alias(phase: int, submission: int) -> str:
    """Name a system of a phase whose name is hidden."""
    return f"System {alias(phase, 'system', submission)}"


def named(submission: Submission, view: View) -> Submission:
    """Give a submission as ``view`` shows it: itself, or a copy that names nobody.

    What people wrote belongs to no team and keeps its name.
    """
    if submission.kind == Kind.HUMAN or view.knows(submission.team_id):
        return submission
    return _masked(submission)


def all_named(submissions: Iterable[Submission], view: View) -> list[Submission]:
    """Do the same for several."""
    return [named(submission, view) for submission in submissions]


def _masked(submission: Submission) -> Submission:
    found = copy(submission)
    found.team = masked_team(submission.phase_id, submission.team_id)
    found.system_name = system_alias(submission.phase_id, submission.pk)
    found.submitted_by = None
    found.description = found.label = found.report_name = found.disqualified_for = ""
    found.metadata = {}
    found.warnings = []
    found.report = found.upload_key = None
    # The ending says how the file is read.
    found.file_name = f"captions{PurePath(submission.file_name).suffix}"
    return found


def masked_team(phase: int, team: int) -> Team:
    """Give a team as those see it who may not know its name; its key stays."""
    name = team_alias(phase, team)
    return Team(pk=team, name=name, slug=name.lower().replace(" ", "-"), affiliation="")
