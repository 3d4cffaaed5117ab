"""The tables, one file per noun."""

from leaderboard.models.announcement import Announcement
from leaderboard.models.append_only import OnlyAddedTo
from leaderboard.models.audio import AudioFile
from leaderboard.models.audit import AuditEvent
from leaderboard.models.challenge import Challenge, Counting, Phase
from leaderboard.models.details import ClipDetails
from leaderboard.models.evaluation import Evaluation, EvaluationState, MetricResult
from leaderboard.models.labelled_references import LabelledReferences
from leaderboard.models.labeller import Labeller, LabellerUse, Origin
from leaderboard.models.notice import Notice, NoticeKind
from leaderboard.models.organising import OrganiserInvitation, StagedReferences
from leaderboard.models.rank_estimates import RankEstimates
from leaderboard.models.references import ReferenceSet
from leaderboard.models.rescoring import Rescoring
from leaderboard.models.snapshot import RankSnapshot, SnapshotReason
from leaderboard.models.submission import Kind, StoredFile, Submission
from leaderboard.models.team import Membership, Team, TeamInvitation, TeamRole
from leaderboard.models.token import ApiToken
from leaderboard.models.user import User

__all__ = [
    "Announcement",
    "ApiToken",
    "AudioFile",
    "AuditEvent",
    "Challenge",
    "ClipDetails",
    "Counting",
    "Evaluation",
    "EvaluationState",
    "Kind",
    "LabelledReferences",
    "Labeller",
    "LabellerUse",
    "Membership",
    "MetricResult",
    "Notice",
    "NoticeKind",
    "OnlyAddedTo",
    "OrganiserInvitation",
    "Origin",
    "Phase",
    "RankEstimates",
    "RankSnapshot",
    "ReferenceSet",
    "Rescoring",
    "SnapshotReason",
    "StagedReferences",
    "StoredFile",
    "Submission",
    "Team",
    "TeamInvitation",
    "TeamRole",
    "User",
]
