"""Forms for judging submissions, and for finding submissions, participants and events."""

from collections.abc import Mapping
from typing import Any

from django import forms

from leaderboard.selectors.people.participation import STATES
from leaderboard.web.form_choices import offer

ALL = ("", "all")


class ReasonForm(forms.Form):
    """Why organisers decide against a team."""

    reason = forms.CharField(
        max_length=300,
        help_text="The team sees this.",
        error_messages={"required": "Give a reason, which the team sees."},
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_reason(self) -> str:
        """Make one line of it."""
        return " ".join(str(self.cleaned_data["reason"]).split())


class DisqualifyForm(ReasonForm):
    """Why a submission is disqualified."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.fields[
            "reason"
        ].help_text = "Its team sees this. Others can no longer open the page of the system."


class ListFilter(forms.Form):
    """Which rows of a list an address asks for."""

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked for, by field; invalid values are ignored."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def kept(self) -> dict[str, str]:
        """The values that links carry on, as they were written."""
        return {name: self.data[name] for name in self.fields if self.data.get(name)}


class SubmissionsFilter(ListFilter):
    """Which submissions are listed."""

    phase = forms.ChoiceField(required=False)
    # Not a list to choose from: with a thousand teams it would be most of the page.
    team = forms.CharField(required=False, max_length=80)
    state = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(required=False, label="Kind")
    standing = forms.ChoiceField(required=False, label="Standing")
    text = forms.CharField(
        required=False, max_length=80, label="Contains", help_text="System, team, person or id."
    )

    def __init__(self, *args: Any, choices: Mapping[str, list[tuple[str, str]]]) -> None:
        super().__init__(*args)
        for name, offered in choices.items():
            offer(self, name, [ALL, *offered])


class ParticipantsFilter(ListFilter):
    """Which participants are listed."""

    state = forms.ChoiceField(required=False, choices=[ALL, *STATES.items()])
    text = forms.CharField(
        required=False, max_length=80, label="Contains", help_text="Team or person."
    )


class AuditLogForm(ListFilter):
    """Which events are listed."""

    act = forms.ChoiceField(required=False, label="Act")
    person = forms.CharField(required=False, max_length=150, label="Person")
    submission = forms.CharField(required=False, max_length=80, label="Submission")
    day = forms.DateField(
        required=False,
        label="Day (UTC)",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, *args: Any, acts: list[tuple[str, str]]) -> None:
        super().__init__(*args)
        offer(self, "act", [ALL, *acts])
