"""Forms for uploading labellers and for choosing the one in use."""

from django import forms
from django.conf import settings

from leaderboard.forms.uploads import CappedUpload, LimitedFileField, too_large

# What a zip may have beside the two files.
ROOM_FOR_REST = 2_000_000
_ADVICE = "An administrator can set another (EARMARK_MAX_LABELLER_BYTES)."


def most_bytes() -> int:
    """Most bytes that the zip of a labeller may have."""
    return int(settings.MAX_LABELLER_BYTES) + ROOM_FOR_REST


class LabellerUpload(CappedUpload):
    """Keep at most one chunk more than the zip of a labeller may have."""

    @property
    def limit(self) -> int:
        """The limit of the zip."""
        return most_bytes()


class LabellerForm(forms.Form):
    """A zip with a labeller, and what it is called here."""

    file = LimitedFileField(
        label="Zip of a labeller",
        accept=".zip,application/zip",
        limit=most_bytes,
        advice=_ADVICE,
        error_messages={"required": "Choose the zip of the labeller."},
    )
    name = forms.CharField(
        max_length=60,
        required=False,
        help_text="Shown on pages. Empty: the name in its config.json.",
    )
    note = forms.CharField(
        max_length=500,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Where it comes from, and under which licence.",
    )


def labeller_too_large() -> str:
    """Why a larger zip is refused, and who can raise the limit."""
    return too_large(most_bytes(), _ADVICE)


class LabellerUseForm(forms.Form):
    """Why a labeller is put to use.

    ``seen`` is the labeller that was in use when the page was loaded; the page fills it in.
    """

    reason = forms.CharField(
        max_length=300,
        help_text="Kept with the history of labellers and in the audit log.",
        error_messages={"required": "Say why this labeller is put into use."},
    )
    seen = forms.CharField(widget=forms.HiddenInput, max_length=80)
