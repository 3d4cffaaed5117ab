"""Submissions and evaluations, where the work of the job engine can be watched."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from leaderboard.access import is_organiser
from leaderboard.admin.rights import ReadOnly
from leaderboard.models import Evaluation, MetricResult, Submission, User
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.tasks import submission_enqueue

SHOWN = (
    "public_id",
    "phase",
    "team",
    "submitted_by",
    "system_name",
    "description",
    "metadata",
    "file_name",
    "sha256",
    "warnings",
    "chosen",
    "created_at",
)


def _fields_for(request: HttpRequest, submission: Submission | None, fields: Any) -> list[Any]:
    """The fields, without the text of an error for who may not see it: it may hold a caption."""
    user = request.user
    if submission and isinstance(user, User) and is_organiser(user, submission.phase.challenge):
        return list(fields)
    return [name for name in fields if name != "detail"]


class EvaluationInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The evaluations of a submission."""

    model = Evaluation
    fields = ("family", "state", "attempts", "worker", "finished_at", "reason", "detail")
    extra = 0
    show_change_link = True

    def get_fields(self, request: HttpRequest, obj: Submission | None = None) -> Any:
        """Show the detail, which may hold captions, to organisers of the challenge only."""
        return _fields_for(request, obj, super().get_fields(request, obj))


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Submissions; a row here can only be retried."""

    list_display = ("public_id", "system_name", "team", "phase", "failed", "created_at")
    list_filter = ("phase__challenge", "evaluations__state")
    search_fields = ("public_id", "system_name", "team__name", "team__slug")
    date_hierarchy = "created_at"
    fields = SHOWN
    inlines = (EvaluationInline,)
    actions = ("retry_failed",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Load names only: no file, no references."""
        return (
            super()
            .get_queryset(request)
            .select_related("team", "phase__challenge", "submitted_by")
            .prefetch_related("evaluations")
        )

    @admin.display(description="File (sha256)")
    def sha256(self, obj: Submission) -> str:
        """The digest; the file itself is not loaded."""
        return obj.file_id

    @admin.display(description="Failed")
    def failed(self, obj: Submission) -> str:
        """List the families that failed."""
        rows = obj.evaluations.all()
        return ", ".join(row.family for row in rows if row.state == "failed") or "-"

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Allow it to those who may change submissions, which nobody does by hand."""
        return request.user.has_perm("leaderboard.change_submission")

    @admin.action(description="Retry failed evaluations", permissions=["retry"])
    def retry_failed(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Queue failed evaluations again."""
        actor = request.user if isinstance(request.user, User) else None
        count = 0
        for submission in queryset:
            count += len(submission_retry(submission=submission, actor=actor, now=timezone.now()))
            submission_enqueue(submission)
        level = messages.SUCCESS if count else messages.WARNING
        self.message_user(request, f"Evaluations that wait again: {count}.", level)


class ResultInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The corpus values of an evaluation."""

    model = MetricResult
    fields = ("metric", "value", "low", "high", "coverage", "clips", "signature", "scorer_version")
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[MetricResult]:
        """Load no values of single clips."""
        return super().get_queryset(request).defer("per_clip")


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Evaluations; retried by the action on submissions."""

    list_display = (
        "id",
        "submission",
        "family",
        "state",
        "attempts",
        "worker",
        "clips_done",
        "clips_total",
        "created_at",
        "finished_at",
        "reason",
    )
    list_filter = ("state", "family", "published", "submission__phase")
    search_fields = ("submission__public_id", "submission__system_name", "worker", "reason")
    ordering = ("-id",)
    show_full_result_count = False
    inlines = (ResultInline,)

    def get_fields(self, request: HttpRequest, obj: Evaluation | None = None) -> Any:
        """Show the detail, which may hold captions, to organisers of the challenge only."""
        fields = super().get_fields(request, obj)
        return _fields_for(request, obj.submission if obj else None, fields)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Evaluation]:
        """Load the names that a row shows."""
        return super().get_queryset(request).select_related("submission__team")
