"""The form with which somebody uploads judgments of their own."""

from pathlib import PurePath

from django import forms

from leaderboard.forms.uploads import LimitedFileField
from leaderboard.web.public_names import NameField

NAME_LENGTH = 80


class OwnJudgmentsForm(forms.Form):
    """A file of judgments, and what its owner calls it."""

    file = LimitedFileField(
        label="File of judgments",
        accept=".json,.csv,.tsv,application/json,text/csv",
        advice="Leave out pairs or references.",
        error_messages={"required": "Choose the file with the judgments."},
    )
    name = NameField(
        label="Name",
        max_length=NAME_LENGTH,
        required=False,
        help_text="What you call these judgments. Empty: the file's name.",
    )

    @property
    def shown_name(self) -> str:
        """The name that was given, else that of the file."""
        stem = PurePath(self.cleaned_data["file"].name or "").stem
        title = "".join(char for char in stem if char.isprintable())[:NAME_LENGTH]
        return self.cleaned_data["name"] or title or "Judgments"
