"""The tables, one file per noun."""

from leaderboard.models.audit import AuditEvent
from leaderboard.models.challenge import (
    Challenge,
    ChallengeImage,
    Counting,
    LanguageModelUse,
    Phase,
)
from leaderboard.models.evaluation import ClipDetails, Evaluation, EvaluationState, MetricResult
from leaderboard.models.judgments import JudgmentSet, JudgmentsState
from leaderboard.models.labeller import Labeller, LabellerUse, Origin
from leaderboard.models.leased_job import CancellableJob, LeasedJob
from leaderboard.models.notice import Notice, NoticeKind, WaitingMail
from leaderboard.models.organising import (
    Announcement,
    AnnouncementOptOut,
    ChallengeParticipation,
    OrganiserInvitation,
    ParticipationState,
    Rescoring,
    StagedReferences,
)
from leaderboard.models.public_change import PublicChange
from leaderboard.models.ranking import RankEstimates, RankSnapshot, SnapshotReason
from leaderboard.models.references import AudioFile, LabelledReferences, RecordingRow, ReferenceSet
from leaderboard.models.submission import Kind, StoredFile, Submission
from leaderboard.models.team import Membership, Team, TeamInvitation, TeamRole
from leaderboard.models.user import ApiToken, User
from leaderboard.models.worker import AttemptCount, AttemptOutcome, WorkerProcess
