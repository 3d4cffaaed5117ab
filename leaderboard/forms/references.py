"""Forms with which organisers upload references and recordings of their clips."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from leaderboard.forms.uploads import CappedUpload
from leaderboard.services.clips.audio import AddressRefused, audio_base_url_checked
from leaderboard.web.public_names import NameField


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


class ReferencesUseForm(forms.Form):
    """Confirms the use of the references that were shown."""

    content_hash = forms.CharField(max_length=64, widget=forms.HiddenInput)
    human_row = forms.BooleanField(
        label="Score one reference of each clip against the others",
        required=False,
        initial=True,
        help_text="It stands beside the systems, without a rank, and shows how far people agree.",
    )


class AudioUpload(CappedUpload):
    """Keep at most one chunk more than recordings may have together."""

    @property
    def limit(self) -> int:
        """The limit of an archive."""
        return int(settings.MAX_AUDIO_BYTES)


class ArchiveForm(forms.Form):
    """A zip of recordings."""

    file = forms.FileField(
        label="Zip of recordings",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
        error_messages={"required": "Choose the zip with the recordings."},
    )

    def clean_file(self) -> Any:
        """Refuse what is too large."""
        file = self.cleaned_data["file"]
        if isinstance(file, UploadedFile) and (file.size or 0) > settings.MAX_AUDIO_BYTES:
            raise ValidationError(
                f"The file is larger than the limit of {settings.MAX_AUDIO_BYTES / 1e9:g} GB. "
                "Whoever runs this site can set another (EARMARK_MAX_AUDIO_BYTES), or add a "
                "folder with add_audio."
            )
        return file


class AddressForm(forms.Form):
    """Where the recordings lie on another server."""

    address = forms.CharField(
        label="Address",
        max_length=200,
        required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://", "inputmode": "url"}),
        help_text="A clip's name is put behind it: https://example.org/clips gives "
        "https://example.org/clips/rain.wav. Empty: nowhere else.",
    )

    def clean_address(self) -> str:
        """Refuse what browsers would not play from."""
        told: str = self.cleaned_data["address"]
        try:
            return audio_base_url_checked(told) if told else ""
        except AddressRefused as refused:
            raise ValidationError(str(refused)) from refused
