"""Forms for judging submissions, and for finding submissions, participants and events."""

from datetime import date
from typing import Any

from django import forms

from leaderboard.selectors.organising.audit_log import AuditQuery
from leaderboard.selectors.organising.participants import STATES, ParticipantsQuery
from leaderboard.selectors.organising.submission_list import LATEST, SubmissionListQuery


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


class SubmissionsFilter(forms.Form):
    """Which submissions are listed; invalid values are ignored."""

    phase = forms.ChoiceField(required=False)
    # Not a list to choose from: with a thousand teams it would be most of the page.
    team = forms.CharField(required=False, max_length=80)
    state = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(required=False, label="Kind")
    standing = forms.ChoiceField(required=False, label="Standing")
    text = forms.CharField(
        required=False, max_length=80, label="Contains", help_text="System, team, person or id."
    )

    def __init__(self, *args: Any, choices: dict[str, list[tuple[str, str]]]) -> None:
        super().__init__(*args)
        for name, offered in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = [("", "all"), *offered]

    def query(self, sort: str) -> SubmissionListQuery:
        """The query of the form, without invalid values."""
        self.is_valid()
        values = {name: str(self.cleaned_data.get(name) or "") for name in self.fields}
        return SubmissionListQuery(**values, sort=sort or LATEST)


class ParticipantsFilter(forms.Form):
    """Which participants are listed; invalid values are ignored."""

    state = forms.ChoiceField(required=False, choices=[("", "all"), *STATES.items()])
    text = forms.CharField(
        required=False, max_length=80, label="Contains", help_text="Team or person."
    )

    def query(self) -> ParticipantsQuery:
        """The query of the form, without invalid values."""
        self.is_valid()
        values = {name: str(self.cleaned_data.get(name) or "") for name in self.fields}
        return ParticipantsQuery(**values)


class AuditLogForm(forms.Form):
    """Which events are listed; invalid values are ignored."""

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
        field = self.fields["act"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", "all"), *acts]

    def query(self) -> AuditQuery:
        """The query of the form."""
        self.is_valid()
        day = self.cleaned_data.get("day")
        return AuditQuery(
            act=str(self.cleaned_data.get("act") or ""),
            person=str(self.cleaned_data.get("person") or "").strip(),
            submission=str(self.cleaned_data.get("submission") or "").strip(),
            day=day if isinstance(day, date) else None,
        )
