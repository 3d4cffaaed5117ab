"""Forms with which organisers upload references and recordings of their clips."""

from django import forms
from django.conf import settings

from leaderboard.forms.uploads import LimitedFileField
from leaderboard.web.public_names import NameField


class ReferencesForm(forms.Form):
    """A file of references and what to call them."""

    file = LimitedFileField(
        label="References",
        accept=".csv,.tsv,.json,.jsonl,text/csv",
        limit=lambda: settings.MAX_REFERENCES_BYTES,
        advice="An administrator can set another (EARMARK_MAX_REFERENCES_BYTES), or import "
        "it with import_references.",
        error_messages={"required": "Choose the file with the references."},
    )
    name = NameField(
        label="Name",
        max_length=120,
        required=False,
        help_text="What you call these references. Empty: the file's name.",
    )


class SameCaptionsForm(forms.Form):
    """Confirms that one phase shows captions that another hides; asked where that is so."""

    confirmed = forms.BooleanField(
        label="Use them although one phase hides what another shows",
        required=False,
    )


class HumanRowForm(forms.Form):
    """Asks whether a phase that gets references gets a human row, too."""

    human_row = forms.BooleanField(
        label="Score one reference of each clip against the others",
        required=False,
        initial=True,
        help_text="A row without a rank on the leaderboard, as a guide to how well people agree.",
    )


class ReferencesUseForm(HumanRowForm, SameCaptionsForm):
    """Confirms the use of the references that were shown."""

    content_hash = forms.CharField(max_length=64, widget=forms.HiddenInput)


class ArchiveForm(forms.Form):
    """A zip of recordings."""

    file = LimitedFileField(
        label="Zip of recordings",
        accept=".zip,application/zip",
        limit=lambda: settings.MAX_AUDIO_BYTES,
        advice="An administrator can set another (EARMARK_MAX_AUDIO_BYTES), or add a folder "
        "with add_audio.",
        error_messages={"required": "Choose the zip with the recordings."},
    )


class AddressForm(forms.Form):
    """Where the recordings lie on another server."""

    address = forms.CharField(
        label="Address",
        max_length=200,
        required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://", "inputmode": "url"}),
        help_text="The clip's name is added: https://example.org/clips becomes "
        "https://example.org/clips/rain.wav. Empty: no other server.",
    )
