"""The form with which an API token is made."""

from django import forms

from leaderboard.forms.names import NameField


class TokenForm(forms.Form):
    """A name by which its owner will know the token again."""

    name = NameField(label="Name", max_length=60, help_text="Where it is used: laptop, cluster")
