"""The form with which a system is submitted."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import URLValidator
from django.db.models import QuerySet

from leaderboard.forms.names import NameField
from leaderboard.forms.uploads import CandidatesField
from leaderboard.models import Team
from leaderboard.models.submission import METADATA
from leaderboard.services.submissions import SystemDescription, Upload


class CandidatesForm(forms.Form):
    """Just the file, for a check that stores nothing."""

    file = CandidatesField(label="Captions")

    @property
    def upload(self) -> Upload:
        """The valid form's file."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        return Upload(file.read(), file.name or "captions.csv")


class SubmissionForm(CandidatesForm):
    """A file and the system behind it, described in DCASE's terms."""

    system_name = NameField(
        label="System name",
        max_length=80,
        help_text="As it stands on the leaderboard.",
    )
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What is new or different in this system.",
    )
    audio_modelling = NameField(
        label=METADATA["audio_modelling"],
        required=False,
        max_length=120,
        help_text="For example: CNN14, BEATs",
    )
    word_modelling = NameField(
        label=METADATA["word_modelling"],
        required=False,
        max_length=120,
        help_text="For example: transformer, BART",
    )
    total_parameters = forms.IntegerField(
        label=METADATA["total_parameters"],
        required=False,
        min_value=0,
        max_value=10**15,
        help_text="All of the system's, as a whole number: 98000000",
    )
    external_datasets = forms.CharField(
        label=METADATA["external_datasets"],
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Data beyond the challenge's own that the system learned from.",
    )
    source_code = forms.URLField(
        label=METADATA["source_code"],
        required=False,
        max_length=300,
        assume_scheme="https",
        validators=[URLValidator(schemes=["http", "https"])],
        help_text="Address of the repository.",
    )
    field_order = ["team", "system_name", "file", "description", *METADATA]

    def __init__(self, *args: Any, teams: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        only = list(teams[:2])
        chosen = only[0] if len(only) == 1 else None
        self.fields["team"] = forms.ModelChoiceField(
            queryset=teams,
            initial=chosen,
            empty_label=None if chosen else "Choose a team",
            error_messages={"invalid_choice": "Choose one of your teams."},
        )
        self.order_fields(self.field_order)

    @property
    def system(self) -> SystemDescription:
        """The valid form's description; what was left empty is left out."""
        values = self.cleaned_data
        metadata = {name: values[name] for name in METADATA if values[name] not in (None, "")}
        return SystemDescription(values["system_name"], values["description"], metadata)
