"""What organisers fill in to judge submissions and to look for some."""

from typing import Any

from django import forms

from leaderboard.selectors.judging import LATEST, Asked


class DisqualifyForm(forms.Form):
    """Why a submission is disqualified."""

    reason = forms.CharField(
        max_length=300,
        help_text="Its team is told this. Others no longer find the page of the system.",
        error_messages={"required": "Give the reason: the team is told it."},
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_reason(self) -> str:
        """Make one line of it."""
        return " ".join(str(self.cleaned_data["reason"]).split())


class SubmissionsFilter(forms.Form):
    """Which submissions are listed; what makes no sense is as if it were not asked."""

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

    def asked(self, sort: str) -> Asked:
        """Give what is asked for, leaving out what makes no sense."""
        self.is_valid()
        wanted = {name: str(self.cleaned_data.get(name) or "") for name in self.fields}
        return Asked(**wanted, sort=sort or LATEST)
