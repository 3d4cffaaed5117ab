"""The forms with which organisers give clips their sound."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from leaderboard.forms.uploads import CappedUpload
from leaderboard.services.audio import AddressRefused, address_checked


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
            return address_checked(told) if told else ""
        except AddressRefused as refused:
            raise ValidationError(str(refused)) from refused
