"""What organisers fill in to look for something in the audit log."""

from datetime import date
from typing import Any

from django import forms

from leaderboard.selectors.trail import Asked


class TrailFilter(forms.Form):
    """Which events are listed; what makes no sense is as if it were not asked."""

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

    def asked(self) -> Asked:
        """Give what is asked for."""
        self.is_valid()
        day = self.cleaned_data.get("day")
        return Asked(
            act=str(self.cleaned_data.get("act") or ""),
            person=str(self.cleaned_data.get("person") or "").strip(),
            submission=str(self.cleaned_data.get("submission") or "").strip(),
            day=day if isinstance(day, date) else None,
        )
