"""The forms with the rules of a phase and with its judges from elsewhere."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.db import models

from earmark.registry import (
    FAMILIES,
    METRICS,
    MetricInfo,
    families_of,
    metrics_for,
    metrics_of,
    standard_families,
)
from leaderboard.forms.challenges import AddressField, clean_address
from leaderboard.forms.local_time import LocalMomentField
from leaderboard.models import Challenge, Counting, LanguageModelUse, Phase
from leaderboard.models.challenge import not_computed
from leaderboard.selectors.board.columns import USUAL_COLUMNS, grouped
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.phases import RESERVED, RULES
from leaderboard.web.form_choices import offer
from leaderboard.web.public_names import NameField

MOMENTS = ("opens_at", "closes_at", "names_hidden_until")
COUNTING = {
    Counting.BEST: "Each team's best",
    Counting.LAST: "Each team's latest",
    Counting.CHOSEN: "The one that each team chooses",
}


Choices = list[tuple[str, list[tuple[str, str]]]]


class Computes(models.TextChoices):
    """Which metrics a phase computes, as its form offers them."""

    ALL = "all", "All of this site, including those added later"
    USUAL = "usual", "The ranking metric and the columns of the leaderboard"
    RANKING = "ranking", "Only the ranking metric"
    CHOSEN = "chosen", "Those ticked below"


def metric_choices(
    label: str = "{0.label}", metrics: Mapping[str, MetricInfo] = METRICS
) -> Choices:
    """Metrics with their labels, in the groups of their families; all, unless others are given."""
    return [
        (title, [(info.name, label.format(info)) for info in infos])
        for title, infos in grouped(metrics.values(), lambda info: info.family)
    ]


def _offered(phase: Phase) -> dict[str, MetricInfo]:
    """Metrics that a phase may rank by and show: all but those that it has to configure first."""
    known = {*metrics_for(several=True), *phase.computed}
    return {name: phase.as_computed(info) for name, info in METRICS.items() if name in known}


def _family_choices() -> Choices:
    """Every family with what it costs, in groups."""
    return [
        (
            title,
            [
                (info.name, f"{family_label(info.name)}, {info.seconds:g}\N{NO-BREAK SPACE}s")
                for info in infos
            ],
        )
        for title, infos in grouped(
            map(FAMILIES.__getitem__, standard_families()), lambda info: info.name
        )
    ]


def _metrics_for(choice: str, ranking_metric: str, columns: Sequence[str]) -> list[str]:
    """The metrics of a choice that names none; empty: all."""
    if choice == Computes.ALL:
        return []
    shown = (columns or USUAL_COLUMNS) if choice == Computes.USUAL else ()
    wanted = tuple(name for name in (ranking_metric, *shown) if name in METRICS)
    return [info.name for name in families_of(wanted) for info in metrics_of(name)]


def _computes(phase: Phase) -> Computes:
    for choice in (Computes.ALL, Computes.RANKING, Computes.USUAL):
        if phase.metrics == _metrics_for(choice, phase.ranking_metric, phase.columns):
            return choice
    return Computes.CHOSEN


def _clock(challenge: Challenge, at: datetime | None) -> str:
    """The clock on which a time is written, and what is set, in UTC."""
    if challenge.time_zone == "UTC":
        return "In UTC."
    in_utc = f" It is set to {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC." if at is not None else ""
    return f"In the time zone {challenge.time_zone}.{in_utc}"


class CountField(forms.IntegerField):
    """A limit; empty means that there is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=1, max_value=1_000_000, **options)


class PhaseForm(forms.Form):
    """The rules of a phase, times on the clock of the challenge."""

    name = NameField(label="Name", max_length=80)
    slug = AddressField(help_text="Letters, digits and hyphens. Empty: from the name.")
    opens_at = LocalMomentField(label="Opens")
    closes_at = LocalMomentField(
        label="Closes",
        help_text="Technical reports become public then, or at once if this is empty.",
    )
    references_public = forms.BooleanField(
        label="References are public",
        required=False,
        help_text="Everyone sees captions and scores of single clips; otherwise only you do.",
    )
    scores_public = forms.BooleanField(
        label="Scores are public",
        required=False,
        help_text="Everyone sees the leaderboard; otherwise only you do, and each team sees its "
        "own scores.",
    )
    ranking_metric = forms.ChoiceField(label="Ranking metric")
    precision = forms.IntegerField(
        label="Decimals",
        min_value=0,
        max_value=8,
        help_text="Values that are equal at this number of decimals share a rank.",
    )
    counting = forms.ChoiceField(
        label="Which submission counts",
        choices=[(rule.value, text) for rule, text in COUNTING.items()],
    )
    columns = forms.MultipleChoiceField(
        label="Columns of the leaderboard",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Shown at first besides the ranking metric. If none is chosen: the usual ones.",
    )
    computes = forms.ChoiceField(
        label="Metrics that are computed",
        choices=Computes.choices,
        required=False,
        widget=forms.RadioSelect,
    )
    metrics = forms.MultipleChoiceField(
        label="Metrics to compute",
        choices=_family_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Metrics that are computed together are chosen together, and the parts of "
        "SPIDEr, SPIDEr-FL and FENSE are computed with them. Seconds: rough, for 1,000 captions "
        "on one core.",
    )
    quota_per_day = CountField(label="Submissions a day", help_text="Per team; days in UTC.")
    quota_total = CountField(label="Submissions in total", help_text="Per team.")
    quota_shared = forms.BooleanField(
        label="Teams of one person share these",
        required=False,
        help_text="Submissions of all teams that the same person made count together, so that "
        "nobody gets more by making teams.",
    )
    systems_per_team = CountField(
        label="Systems at once",
        help_text="How many systems a team may have in the phase at once. Withdrawing one frees "
        "its place.",
    )
    names_hidden_until = LocalMomentField(
        label="Names hidden until",
        help_text="Until then, only organisers and the team itself see whose system it is.",
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, data: Any = None, *, challenge: Challenge, phase: Phase | None, fixed: bool = False
    ) -> None:
        row = phase or Phase(challenge=challenge, ranking_metric="fense")
        initial = {name: getattr(row, name) for name in RULES}
        initial |= {"computes": _computes(row), "metrics": list(row.families)}
        if phase is not None:
            initial["version"] = version_of(phase, RULES)
        super().__init__(data, initial=initial)
        self.challenge, self.phase = challenge, phase
        self.offered = offered = _offered(row)
        directed = metric_choices("{0.label} ({0.direction} is better)", offered)
        offer(self, "ranking_metric", directed)
        offer(self, "columns", metric_choices(metrics=offered))
        for name in MOMENTS:
            field = self.fields[name]
            if isinstance(field, LocalMomentField):
                field.set_up(ZoneInfo(challenge.time_zone), getattr(row, name))
                field.help_text = f"{field.help_text} {_clock(challenge, getattr(row, name))}"
        if fixed:
            self.fields["slug"].disabled = True
            self.fields[
                "slug"
            ].help_text = "Cannot be changed, because systems have been submitted."

    def clean(self) -> dict[str, Any]:
        """Make the address where none was written, and compare the times."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        others = self.challenge.phases.all()
        if self.phase is not None:
            others = others.exclude(pk=self.phase.pk)
        clean_address(
            self, "name", RESERVED, others, "Another phase has the address {}. Write another."
        )
        self._clean_metrics(values)
        opens, closes = values.get("opens_at"), values.get("closes_at")
        if opens is not None and closes is not None and closes <= opens:
            self.add_error("closes_at", "It would close before it opens. Write a later time.")
        return values

    def _clean_metrics(self, values: dict[str, Any]) -> None:
        """Write the choice as metrics, and refuse what decides or is shown without them."""
        if not {"computes", "metrics", "columns", "ranking_metric"} <= set(values):
            return
        ranking, columns, families = (
            values[name] for name in ("ranking_metric", "columns", "metrics")
        )
        choice = values["computes"] or (Computes.CHOSEN if families else Computes.ALL)
        if choice == Computes.CHOSEN and not families:
            self.add_error("metrics", "Choose at least the ranking metric.")
            return
        values["metrics"] = (
            [info.name for name in families for info in metrics_of(name)]
            if choice == Computes.CHOSEN
            else _metrics_for(choice, ranking, columns)
        )
        faults = not_computed(
            values["metrics"],
            ranking_metric=ranking,
            columns=columns,
            parameters=self.phase.parameters if self.phase else (),
        )
        for name, fault in faults.items():
            self.add_error(name, fault)

    @property
    def column_groups(self) -> list[tuple[str, list[Any]]]:
        """The boxes of the columns, in the groups of their metrics."""
        return self._boxes("columns", metric_choices(metrics=self.offered))

    @property
    def family_groups(self) -> list[tuple[str, list[Any]]]:
        """The boxes of the metrics to compute, one for each family, in groups."""
        return self._boxes("metrics", _family_choices())

    def _boxes(self, field: str, groups: Choices) -> list[tuple[str, list[Any]]]:
        boxes = {str(box.data["value"]): box for box in self[field]}
        return [(title, [boxes[name] for name, _ in choices]) for title, choices in groups]

    @property
    def rules(self) -> dict[str, Any]:
        """The valid form's rules."""
        return {name: self.cleaned_data[name] for name in RULES}


MOST_REQUESTS = 10_000_000


class HearingJudgeForm(forms.Form):
    """Which CLAP model hears the recordings; ``family`` is the judge."""

    family = forms.CharField(widget=forms.HiddenInput)
    model = forms.ChoiceField(label="CLAP model")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "model", [(name, name) for name in settings.CLAP_MODELS])


class AskingJudgeForm(HearingJudgeForm):
    """Which language model is asked, how often at most, and that captions may be sent to it."""

    model = forms.ChoiceField(label="Language model")
    budget = forms.IntegerField(
        label="Budget in requests",
        min_value=1,
        max_value=MOST_REQUESTS,
        help_text="No more are sent, including repeated ones and those of earlier choices. When "
        "the budget is spent, scoring stops and says so.",
    )
    agreed = forms.BooleanField(
        label="Captions and references of this phase may be sent to the host of this model",
        help_text="The phase's pages tell everyone so. Names of teams and systems are not sent.",
        error_messages={"required": "Nothing is sent unless you confirm this."},
    )

    def __init__(self, *args: Any, use: LanguageModelUse | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._use = use
        servers = settings.LANGUAGE_MODELS.values()
        offer(
            self, "model", [(one.name, f"{one.name}: {one.model} at {one.host}") for one in servers]
        )

    def clean_budget(self) -> int:
        """Refuse a budget that is spent already."""
        budget: int = self.cleaned_data["budget"]
        if self._use is not None and budget < self._use.requests:
            raise forms.ValidationError(
                f"{self._use.requests:,} requests were sent already. Give at least as many."
            )
        return budget
