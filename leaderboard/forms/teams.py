"""The forms of teams: what one is called, and who is invited."""

from django import forms

from leaderboard.forms.names import NameField, RowNameField


class TeamForm(forms.Form):
    """A name that stands on leaderboards, and where the team is from."""

    name = RowNameField(
        label="Team name", max_length=60, help_text="Everyone sees it on the leaderboard."
    )
    affiliation = NameField(
        label="Affiliation",
        max_length=120,
        required=False,
        help_text="University, company or group. May stay empty.",
    )


class InvitationForm(forms.Form):
    """The name of somebody to invite."""

    username = NameField(
        label="User name",
        max_length=150,
        help_text="As it stands in the top right corner when they are logged in.",
    )
