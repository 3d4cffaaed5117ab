"""Evaluations: where the work of the job engine can be watched."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from leaderboard.admin.rights import ReadOnly, may_see_detail, without_detail
from leaderboard.models import Evaluation, MetricResult


class ResultInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The corpus values of an evaluation."""

    model = MetricResult
    fields = ("metric", "value", "low", "high", "coverage", "clips", "signature")
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
        """Leave the detail, which may hold captions, to those who run the challenge."""
        fields = super().get_fields(request, obj)
        seen = obj is not None and may_see_detail(request, obj.submission)
        return fields if seen else without_detail(fields)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Evaluation]:
        """Load the names that a row shows."""
        return super().get_queryset(request).select_related("submission__team")
