"""The tables, one file per noun."""

from leaderboard.models.audit import AuditEvent
from leaderboard.models.challenge import Challenge, Counting, Phase
from leaderboard.models.details import ClipDetails
from leaderboard.models.evaluation import Evaluation, EvaluationState, MetricResult
from leaderboard.models.references import ReferenceSet
from leaderboard.models.submission import Kind, StoredFile, Submission
from leaderboard.models.team import Membership, Role, Team, TeamInvitation
from leaderboard.models.token import ApiToken
from leaderboard.models.user import User

__all__ = [
    "ApiToken",
    "AuditEvent",
    "Challenge",
    "ClipDetails",
    "Counting",
    "Evaluation",
    "EvaluationState",
    "Kind",
    "Membership",
    "MetricResult",
    "Phase",
    "ReferenceSet",
    "Role",
    "StoredFile",
    "Submission",
    "Team",
    "TeamInvitation",
    "User",
]
