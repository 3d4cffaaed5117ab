"""Challenges and their phases."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models

from earmark.metric_labels import labelled
from earmark.registry import FAMILIES, METRICS, MetricInfo, metric, standard_families
from leaderboard.models.references import ReferenceSet


def ranking_metric_choices() -> list[tuple[str, str]]:
    """List the metrics that a phase may rank by."""
    return [(info.name, info.label) for info in METRICS.values()]


def validate_metric_names(value: object) -> None:
    """Refuse what is not a list of metrics."""
    if not isinstance(value, list) or any(name not in METRICS for name in value):
        raise ValidationError(f"Give a list of metrics, each one of: {', '.join(METRICS)}.")


def families_for(metrics: Collection[str], parameters: Collection[str] = ()) -> tuple[str, ...]:
    """Families that compute these metrics, in the order of the registry; of none, all of them.

    Those that a phase has to configure are computed where ``parameters`` has them. A metric
    made of others, such as FENSE, is one family, which computes its parts itself.
    """
    wanted = {METRICS[name].family for name in metrics if name in METRICS}
    standard = wanted if metrics else standard_families()
    return tuple(
        name
        for name, family in FAMILIES.items()
        if name in (parameters if family.configured_by_phase else standard)
    )


def not_computed(
    metrics: Collection[str],
    *,
    ranking_metric: str,
    columns: Collection[str],
    parameters: Collection[str],
) -> dict[str, str]:
    """What decides or is shown though it is not computed: by rule, what to do about it."""
    families = families_for(metrics, parameters)

    def missing(names: Collection[str]) -> str:
        infos = [METRICS[name] for name in names if name in METRICS]
        return ", ".join(info.label for info in infos if info.family not in families)

    faults = {}
    if labels := missing([ranking_metric]):
        faults["ranking_metric"] = (
            f"{labels} decides, but this phase does not compute it. Add it to the metrics that "
            "are computed, or rank by another."
        )
    if labels := missing(columns):
        faults["columns"] = (
            f"This phase does not compute {labels}. Add it to the metrics that are computed, or "
            "leave it out of the columns."
        )
    return faults


def _with_own_names(family: str, values: dict[str, Any]) -> dict[str, Any]:
    """Parameters with a model's own name in place of the name that it has in the settings."""
    models = {
        **{name: server.model for name, server in settings.LANGUAGE_MODELS.items()},
        **settings.CLAP_MODELS,
    }
    installed = (one.name for one in FAMILIES[family].options if one.names_installed)
    return values | {name: models.get(values[name], values[name]) for name in installed}


def validate_time_zone(value: str) -> None:
    """Refuse what is no time zone of the IANA list."""
    if value not in available_timezones():
        raise ValidationError(f"{value!r} is not a time zone. Write one such as Europe/Berlin.")


class Challenge(models.Model):
    """A challenge: its text, its organisers, its phases."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=240, blank=True)
    description = models.TextField(blank=True, help_text="Markdown.")
    citation = models.TextField(blank=True, help_text="How to cite the challenge.")
    terms = models.TextField(
        blank=True, help_text="Markdown. What a team must accept before it submits. Empty: nothing."
    )
    # Raised when everyone has to accept the terms anew.
    terms_version = models.PositiveIntegerField(default=1, editable=False)
    approval = models.BooleanField(
        default=False, help_text="Whether organisers must admit a team before it submits."
    )
    published = models.BooleanField(default=False, help_text="Visible to everyone.")
    organisers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="organised_challenges"
    )
    time_zone = models.CharField(
        max_length=64,
        default="UTC",
        validators=[validate_time_zone],
        help_text="Time zone in which organisers enter times; visitors also see UTC.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    # Who asked for this very object, and whether they run the challenge: read together
    # with it (access.phase_for), so that no page asks the database again and again.
    asked_by: tuple[int, bool] | None = None

    class Meta:
        ordering = ["title", "slug"]

    def __str__(self) -> str:
        return self.title

    @property
    def asks_to_take_part(self) -> bool:
        """Whether a team has to do anything before it may submit."""
        return self.approval or bool(self.terms)


class Counting(models.TextChoices):
    """Which of a team's submissions is on the leaderboard."""

    BEST = "best", "Best"
    LAST = "last", "Last"
    CHOSEN = "chosen", "Chosen by the team"


class Phase(models.Model):
    """A part of a challenge with its own references, dates, rules and ranking."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="phases")
    slug = models.SlugField()
    name = models.CharField(max_length=80)
    position = models.PositiveSmallIntegerField(default=0)
    reference_set = models.ForeignKey(
        ReferenceSet, null=True, blank=True, on_delete=models.PROTECT, related_name="phases"
    )
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    ranking_metric = models.CharField(
        max_length=40, default="cider_d", choices=ranking_metric_choices
    )
    precision = models.PositiveSmallIntegerField(
        default=3,
        validators=[MaxValueValidator(8)],
        help_text="Values equal at this number of decimals are tied.",
    )
    counting = models.CharField(max_length=8, choices=Counting, default=Counting.BEST)
    columns = models.JSONField(
        default=list,
        blank=True,
        validators=[validate_metric_names],
        help_text="Metrics that the leaderboard shows at first, besides the ranking metric. "
        "None chosen: the usual ones. Visitors can show others.",
    )
    metrics = models.JSONField(
        default=list,
        blank=True,
        validators=[validate_metric_names],
        help_text="Metrics to compute; the other metrics of their families are computed too. "
        "None chosen: all metrics of this installation.",
    )
    quota_per_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="Submissions per team and day (UTC). Empty: no limit."
    )
    quota_total = models.PositiveIntegerField(
        null=True, blank=True, help_text="Submissions per team in total. Empty: no limit."
    )
    quota_shared = models.BooleanField(
        default=True,
        help_text="Whether submissions of all teams that one person made count together.",
    )
    systems_per_team = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="How many systems of a team may be in the phase at once; withdrawing one makes "
        "room for another. Empty: no limit.",
    )
    names_hidden_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Until then, only organisers and the team itself see whose system it is.",
    )
    frozen_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="While set, everyone but the organisers sees the ranking of that moment.",
    )
    freeze_asked_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="While set, the ranking will be frozen once all systems submitted by then are "
        "scored.",
    )
    parameters = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="Metric family -> name -> value, where this phase differs from the installation.",
    )
    references_public = models.BooleanField(
        default=False,
        help_text="If not public, neither references nor scores of single clips are shown.",
    )
    scores_public = models.BooleanField(
        default=True, help_text="Whether everyone sees the leaderboard."
    )

    # Whether rankings of it were kept: read together with it (access.phase_for).
    keeps_rankings: bool = False

    class Meta:
        ordering = ["challenge", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "slug"], name="phase_slug_per_challenge"),
            models.CheckConstraint(
                condition=models.Q(closes_at__isnull=True)
                | models.Q(opens_at__isnull=True)
                | models.Q(closes_at__gt=models.F("opens_at")),
                name="phase_closes_after_it_opens",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenge}: {self.name}"

    def clean(self) -> None:
        """Refuse to rank by or to show what is not computed."""
        faults = not_computed(
            self.metrics,
            ranking_metric=self.ranking_metric,
            columns=self.columns,
            parameters=self.parameters,
        )
        if faults:
            raise ValidationError(dict(faults))

    @property
    def families(self) -> tuple[str, ...]:
        """Names of the metric families that are computed, in the order of the registry."""
        return families_for(self.metrics, self.parameters)

    def computes(self, family: str) -> bool:
        """Whether a metric family is computed."""
        return family in self.families

    @property
    def computed(self) -> dict[str, MetricInfo]:
        """The metrics that are computed, by name, in the order used everywhere."""
        families = self.families
        return {
            name: self.as_computed(info)
            for name, info in METRICS.items()
            if info.family in families
        }

    @property
    def ranking(self) -> MetricInfo:
        """The ranking metric, with what differs from its defaults in its label."""
        return self.as_computed(metric(self.ranking_metric))

    def as_computed(self, info: MetricInfo) -> MetricInfo:
        """A metric as this phase computes it now: what differs from its defaults is in its label.

        What is shown of a value goes by the signature of the value (``signed_metric``).
        """
        usual = settings.SCORING_PARAMETERS.get(info.family, {})
        values = {**usual, **self.parameters.get(info.family, {})}
        return labelled(info, _with_own_names(info.family, values)) if values else info

    @property
    def counting_rule(self) -> Counting:
        """Which submission of a team counts."""
        return Counting(self.counting)

    def has_begun(self, now: datetime) -> bool:
        """Whether the phase has opened; it may have closed again."""
        return self.opens_at is None or self.opens_at <= now

    def is_open(self, now: datetime) -> bool:
        """Whether a submission would be taken at ``now``."""
        return (
            self.reference_set_id is not None
            and self.has_begun(now)
            and (self.closes_at is None or now < self.closes_at)
        )


class ChallengeImage(models.Model):
    """An image that organisers uploaded, as it was encoded anew here (WebP).

    ``name`` is what the Markdown of the challenge calls it; ``sha256`` is of ``content`` and part
    of its address, so that browsers may keep it. At most one of a challenge is its logo.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="images")
    name = models.SlugField(max_length=60)
    content = models.BinaryField(editable=False)
    sha256 = models.CharField(max_length=64, editable=False)
    width = models.PositiveIntegerField(editable=False)
    height = models.PositiveIntegerField(editable=False)
    is_logo = models.BooleanField(default=False)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "name"], name="image_named_once_per_challenge"
            ),
            models.UniqueConstraint(
                fields=["challenge"],
                condition=models.Q(is_logo=True),
                name="one_logo_per_challenge",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenge.slug} image {self.name}"


class LanguageModelUse(models.Model):
    """A phase's consent that its captions and references are sent to ``host``.

    ``model`` is the name under which the installation has the language model. ``requests`` were
    sent so far, also before it was turned off and on again, and never more than ``budget``; with
    the tokens that the server said they had.
    """

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="language_model")
    model = models.CharField(max_length=60)
    host = models.CharField(max_length=255)
    active = models.BooleanField(default=True)
    budget = models.PositiveIntegerField()
    requests = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.model} for phase {self.phase_id}"
