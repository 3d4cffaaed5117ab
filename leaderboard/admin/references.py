"""Reference sets: to look at, never to change."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from leaderboard.admin.rights import ReadOnly
from leaderboard.models import ReferenceSet


@admin.register(ReferenceSet)
class ReferenceSetAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Reference sets; the captions themselves are not shown."""

    list_display = ("name", "clip_count", "caption_count", "short_hash", "created_at")
    search_fields = ("name", "content_hash")
    fields = ("name", "clip_count", "caption_count", "content_hash", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ReferenceSet]:
        """Load no captions."""
        return super().get_queryset(request).defer("payload")

    @admin.display(description="Content hash", ordering="content_hash")
    def short_hash(self, obj: ReferenceSet) -> str:
        """Give the first digits of the hash."""
        return obj.content_hash[:12]
