"""The form with which a team is made."""

from django import forms

from leaderboard.forms.names import NameField


class TeamForm(forms.Form):
    """A name that stands on leaderboards, and where the team is from."""

    name = NameField(
        label="Team name", max_length=60, help_text="Everyone sees it on the leaderboard."
    )
    affiliation = NameField(
        label="Affiliation",
        max_length=120,
        required=False,
        help_text="University, company or group. May stay empty.",
    )
