"""The form with which organisers upload references."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from leaderboard.forms.names import NameField
from leaderboard.forms.uploads import CappedUpload


class ReferencesUpload(CappedUpload):
    """Keep at most one chunk more than references may have."""

    @property
    def limit(self) -> int:
        """The limit of a file of references."""
        most: int = settings.MAX_REFERENCES_BYTES
        return most


class ReferencesForm(forms.Form):
    """A file of references and what to call them."""

    file = forms.FileField(
        label="References",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.json,.jsonl,text/csv"}),
        error_messages={"required": "Choose the file with the references."},
    )
    name = NameField(
        label="Name",
        max_length=120,
        required=False,
        help_text="What you call these references. Empty: the file's name.",
    )

    def clean_file(self) -> Any:
        """Refuse what is too large."""
        file = self.cleaned_data["file"]
        if isinstance(file, UploadedFile) and (file.size or 0) > settings.MAX_REFERENCES_BYTES:
            limit = f"{settings.MAX_REFERENCES_BYTES / 1_000_000:g} MB"
            raise ValidationError(
                f"The file is larger than the limit of {limit}. Whoever runs this site can set "
                "another (EARMARK_MAX_REFERENCES_BYTES), or import it with import_references."
            )
        return file


class UseForm(forms.Form):
    """Confirms the use of the references that were shown."""

    content_hash = forms.CharField(max_length=64, widget=forms.HiddenInput)
    human_row = forms.BooleanField(
        label="Score one reference of each clip against the others",
        required=False,
        initial=True,
        help_text="It stands beside the systems, without a rank, and shows how far people agree.",
    )
