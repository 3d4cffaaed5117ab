"""The form with which a team corrects what it said of its system."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from leaderboard.forms.names import RowNameField
from leaderboard.forms.uploads import LimitedFileField
from leaderboard.packages.metadata import Metadata
from leaderboard.packages.yaml_files import MAX_BYTES, metadata_read
from leaderboard.services.describing import Changes
from scoring.captions import Fault


class DescriptionForm(forms.Form):
    """The name, the words, and all of the metadata as YAML."""

    system_name = RowNameField(
        label="System name", max_length=80, help_text="As it stands on the leaderboard."
    )
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What is new or different in this system.",
    )
    metadata = forms.CharField(
        label="Metadata",
        required=False,
        max_length=MAX_BYTES,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 30, "spellcheck": "false", "class": "code-area"}),
        help_text="DCASE's fields as YAML. Leave out, or leave empty, what does not apply.",
    )
    metadata_file = LimitedFileField(
        label="Or read a metadata file",
        required=False,
        accept=".yaml,.yml",
        help_text="It takes the place of all that stands above.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.faults: tuple[Fault, ...] = ()
        self.file_name = "the metadata"

    def clean(self) -> dict[str, Any]:
        """Read the metadata, from the file where there is one; keep its faults."""
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        file: UploadedFile[bytes] | None = values.get("metadata_file")
        data = values["metadata"].encode(errors="surrogatepass") if file is None else file.read()
        if file is None and not data.strip():
            values["read"] = Metadata()
            return values
        if file is not None:
            self.file_name = file.name or "metadata.yaml"
        reading = metadata_read(data)
        self.faults = reading.faults
        if reading.value is None:
            self.add_error(None, "The metadata cannot be read. Nothing was changed.")
        values["read"] = reading.value
        return values

    @property
    def changes(self) -> Changes:
        """The valid form's values."""
        values = self.cleaned_data
        return Changes(values["system_name"], values["description"], values["read"])
