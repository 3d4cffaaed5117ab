"""Challenges, phases and reference sets."""

from typing import Any

from django.contrib import admin
from django.db.models import Field, QuerySet
from django.forms import CheckboxSelectMultiple, MultipleChoiceField
from django.forms import Field as FormField
from django.http import HttpRequest

from leaderboard.access import is_organiser
from leaderboard.admin.rights import Audited, ReadOnly
from leaderboard.models import Challenge, Phase, ReferenceSet, User
from leaderboard.models.challenge import ranking_metric_choices
from leaderboard.selectors.labellers.use import new_phase_parameters

RULES = (
    "challenge",
    "slug",
    "name",
    "position",
    "references",
    "opens_at",
    "closes_at",
    "ranking_metric",
    "precision",
    "columns",
    "counting",
    "quota_per_day",
    "quota_total",
    "quota_shared",
    "references_public",
    "scores_public",
)


class PhaseInline(admin.TabularInline):  # type: ignore[type-arg]
    """The phases of a challenge; their rules are on their own page."""

    model = Phase
    fields = ("slug", "name", "position", "opens_at", "closes_at")
    extra = 0
    show_change_link = True
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Phase]:
        """Load no references."""
        return super().get_queryset(request).defer("reference_set")


@admin.register(Challenge)
class ChallengeAdmin(Audited):
    """Challenges."""

    list_display = ("title", "slug", "published", "created_at")
    list_filter = ("published",)
    search_fields = ("title", "slug")
    # What follows from terms and approval is seen to on the organisers' page.
    readonly_fields = ("created_at", "terms", "approval")
    autocomplete_fields = ("organisers",)
    inlines = (PhaseInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Challenge | None = None) -> Any:
        """Fix the organisers of a challenge of others: they read what it hides."""
        fixed = super().get_readonly_fields(request, obj)
        own = obj is None or (isinstance(request.user, User) and is_organiser(request.user, obj))
        return fixed if own else (*fixed, "organisers")

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Set the labeller in use for new phases."""
        for row in formset.extra_forms:
            row.instance.parameters = new_phase_parameters()
        super().save_formset(request, form, formset, change)


@admin.register(Phase)
class PhaseAdmin(Audited):
    """Phases with all their rules."""

    list_display = ("name", "challenge", "opens_at", "closes_at", "ranking_metric", "counting")
    list_filter = ("challenge",)
    list_select_related = ("challenge",)
    search_fields = ("name", "slug", "challenge__title", "challenge__slug")
    autocomplete_fields = ("challenge",)
    fields = RULES

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> FormField | None:
        """Offer the columns of the leaderboard as boxes to tick."""
        if db_field.name == "columns":
            return MultipleChoiceField(
                choices=ranking_metric_choices,
                widget=CheckboxSelectMultiple,
                required=False,
                help_text=db_field.help_text,
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Phase]:
        """Load the challenge, whose name is part of a phase's."""
        return super().get_queryset(request).select_related("challenge")

    def get_readonly_fields(self, _request: HttpRequest, obj: Phase | None = None) -> list[str]:
        """References, who sees them and whose they are: organisers' pages look after these."""
        return ["references", "references_public", *(["challenge"] if obj is not None else [])]

    @admin.display(description="Reference set")
    def references(self, obj: Phase) -> str:
        """Name the references without loading them."""
        reference_set = ReferenceSet.objects.defer("payload").filter(phases=obj).first()
        return "-" if reference_set is None else f"{reference_set}, {reference_set.content_hash}"

    def save_model(self, request: HttpRequest, obj: Phase, form: Any, change: bool) -> None:
        """A new phase scores with the labeller in use."""
        if not change:
            obj.parameters = new_phase_parameters()
        super().save_model(request, obj, form, change)


@admin.register(ReferenceSet)
class ReferenceSetAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Reference sets; the captions themselves are not shown."""

    list_display = ("name", "challenge", "clip_count", "caption_count", "short_hash", "created_at")
    search_fields = ("name", "content_hash")
    fields = ("name", "challenge", "clip_count", "caption_count", "content_hash", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ReferenceSet]:
        """Load no captions."""
        return super().get_queryset(request).defer("payload")

    @admin.display(description="Content hash", ordering="content_hash")
    def short_hash(self, obj: ReferenceSet) -> str:
        """First digits of the hash."""
        return obj.content_hash[:12]
