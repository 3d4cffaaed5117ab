"""The form with the rules of a phase."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError

from leaderboard.forms.challenges import AddressField
from leaderboard.forms.local_time import LocalMomentField
from leaderboard.models import Challenge, Counting, Phase
from leaderboard.selectors.board.columns import grouped
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.phases import RESERVED, RULES
from leaderboard.web.public_names import NameField
from scoring.registry import METRICS

MOMENTS = ("opens_at", "closes_at", "names_hidden_until")
COUNTING = {
    Counting.BEST: "Each team's best",
    Counting.LAST: "Each team's latest",
    Counting.CHOSEN: "The one that each team chooses",
}


def metric_choices(label: str = "{0.label}") -> list[tuple[str, list[tuple[str, str]]]]:
    """Every metric with its label, in the groups of their families."""
    return [
        (title, [(info.name, label.format(info)) for info in infos])
        for title, infos in grouped(METRICS.values(), lambda info: info.family)
    ]


def _ranking_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    return metric_choices("{0.label} ({0.direction} is better)")


def _clock(challenge: Challenge, at: datetime | None) -> str:
    """The clock on which a time is written, and what is set, in UTC."""
    if challenge.time_zone == "UTC":
        return "In UTC."
    in_utc = f" It is set to {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC." if at is not None else ""
    return f"On the clock of {challenge.time_zone}.{in_utc}"


class CountField(forms.IntegerField):
    """A limit; empty means that there is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=1, max_value=1_000_000, **options)


class PhaseForm(forms.Form):
    """The rules of a phase, times on the clock of the challenge."""

    name = NameField(label="Name", max_length=80)
    slug = AddressField(help_text="Letters, digits and hyphens. Empty: made of the name.")
    opens_at = LocalMomentField(label="Opens")
    closes_at = LocalMomentField(
        label="Closes",
        help_text="Technical reports are public from then on, and at once where this is empty.",
    )
    references_public = forms.BooleanField(
        label="References are public",
        required=False,
        help_text="Everyone sees captions and scores clip by clip. Otherwise nothing of a single "
        "clip is shown to anyone but you.",
    )
    scores_public = forms.BooleanField(
        label="Scores are public",
        required=False,
        help_text="Everyone sees the leaderboard. Otherwise you see all of it, and each team its "
        "own scores.",
    )
    ranking_metric = forms.ChoiceField(label="Ranked by", choices=_ranking_choices)
    precision = forms.IntegerField(
        label="Decimals",
        min_value=0,
        max_value=8,
        help_text="Values equal at so many decimals share a rank.",
    )
    counting = forms.ChoiceField(
        label="Which submission counts",
        choices=[(rule.value, text) for rule, text in COUNTING.items()],
    )
    columns = forms.MultipleChoiceField(
        label="Columns of the leaderboard",
        choices=metric_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Shown at first beside the ranking metric. None: the usual ones.",
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
        help_text="With which a team may stand. What it withdraws leaves room.",
    )
    names_hidden_until = LocalMomentField(
        label="Names hidden until",
        help_text="Until then only you and each team itself see who is behind a system.",
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, data: Any = None, *, challenge: Challenge, phase: Phase | None, fixed: bool = False
    ) -> None:
        row = phase or Phase(challenge=challenge, ranking_metric="fense")
        initial = {name: getattr(row, name) for name in RULES}
        if phase is not None:
            initial["version"] = version_of(phase, RULES)
        super().__init__(data, initial=initial)
        self.challenge, self.phase = challenge, phase
        for name in MOMENTS:
            field = self.fields[name]
            if isinstance(field, LocalMomentField):
                field.set_up(ZoneInfo(challenge.time_zone), getattr(row, name))
                field.help_text = f"{field.help_text} {_clock(challenge, getattr(row, name))}"
        if fixed:
            self.fields["slug"].disabled = True
            self.fields["slug"].help_text = "It stays, since systems were submitted here."

    def clean(self) -> dict[str, Any]:
        """Make the address where none was written, and compare the times."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if "slug" in values and "name" in values:
            self._clean_slug(values)
        opens, closes = values.get("opens_at"), values.get("closes_at")
        if opens is not None and closes is not None and closes <= opens:
            self.add_error("closes_at", "It would close before it opens. Write a later time.")
        return values

    def _clean_slug(self, values: dict[str, Any]) -> None:
        field = self.fields["slug"]
        if not isinstance(field, AddressField):
            return
        try:
            values["slug"] = field.made_of(values["slug"], values["name"], RESERVED)
        except ValidationError as error:
            self.add_error("slug", error)
            return
        others = self.challenge.phases.all()
        if self.phase is not None:
            others = others.exclude(pk=self.phase.pk)
        if others.filter(slug=values["slug"]).exists():
            self.add_error(
                "slug", f"Another phase has the address {values['slug']}. Write another."
            )

    @property
    def column_groups(self) -> list[tuple[str, list[Any]]]:
        """The boxes of the columns, in the groups of their metrics."""
        boxes = {str(box.data["value"]): box for box in self["columns"]}
        return [
            (title, [boxes[name] for name, _ in choices]) for title, choices in metric_choices()
        ]

    @property
    def rules(self) -> dict[str, Any]:
        """The valid form's rules."""
        return {name: self.cleaned_data[name] for name in RULES}
