"""The sessions of files among a project's people, and what giving one to an account means."""

from dataclasses import dataclass

from annotation.models import Annotation, Member
from leaderboard.models import User

# How people are called who have deleted their account; their work is given to nobody.
FORMER = "a former annotator"


def is_session(member: Member) -> bool:
    """Whether a member is a session of a file: somebody without a log-in who never had one."""
    return not member.user.is_active and not member.name.startswith(FORMER)


@dataclass(frozen=True, slots=True)
class SessionAnswers:
    """The answers of a session, wherever they are now.

    ``both`` are captions of it that ``to`` has answered too; ``changed`` answers that their new
    owner changed since they were given.
    """

    answers: int
    both: int
    changed: int


def session_work(session: Member, to: User | None = None) -> SessionAnswers:
    """Count it."""
    every = Annotation.with_removed.filter(item__project=session.project_id)
    if session.given_at is not None:
        given = every.filter(made_as=session.user)
        changed = given.filter(updated_at__gt=session.given_at).count()
        return SessionAnswers(given.count(), 0, changed)
    own = every.filter(user=session.user)
    both = 0 if to is None else every.filter(user=to, item__in=own.values("item")).count()
    return SessionAnswers(own.count(), both, 0)
