"""Forms for submitting a system and for correcting its description."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import URLValidator
from django.db.models import QuerySet

from earmark.captions import Fault
from earmark.packages.metadata import Metadata
from earmark.packages.metadata_fields import CHARACTERISTICS
from earmark.packages.metadata_files import MAX_BYTES, metadata_read
from earmark.packages.reading import File, Package
from leaderboard.forms.uploads import CandidatesField, LimitedFileField
from leaderboard.models import Phase, Team
from leaderboard.selectors.submissions.quotas import moment_in
from leaderboard.services.submissions.accepting import (
    AttachedFiles,
    SystemDescription,
    package_from_upload,
    suggested_name,
)
from leaderboard.web.public_names import NameField, RowNameField


class CandidatesForm(forms.Form):
    """Just the files, for a check that stores nothing."""

    file = CandidatesField(label="Captions or package")
    metadata_file = LimitedFileField(
        label="Metadata file",
        required=False,
        accept=".yaml,.yml",
        help_text="YAML in DCASE's format, if it is not in the package. What you type in this form "
        "takes precedence.",
    )
    report = LimitedFileField(
        label="Technical report",
        required=False,
        accept=".pdf,application/pdf",
        help_text="A PDF.",
    )
    package_system = forms.CharField(required=False, max_length=200, label="System")

    @property
    def upload(self) -> File:
        """The valid form's file."""
        upload = self._uploaded("file", "captions.csv")
        return upload or File("captions.csv", b"")

    @property
    def attached(self) -> AttachedFiles:
        """The valid form's other files."""
        return AttachedFiles(
            self._uploaded("metadata_file", "metadata.yaml"),
            self._uploaded("report", "report.pdf"),
            self.cleaned_data.get("package_system", ""),
        )

    def package(self) -> Package:
        """Read the valid form's files."""
        return package_from_upload(upload=self.upload, attached=self.attached)

    def _uploaded(self, field: str, name: str) -> File | None:
        file: UploadedFile[bytes] | None = self.cleaned_data.get(field)
        if file is None:
            return None
        file.seek(0)
        return File(file.name or name, file.read())


class SubmissionForm(CandidatesForm):
    """A file and the system behind it, described in DCASE's terms."""

    system_name = RowNameField(
        label="System name",
        max_length=80,
        required=False,
        help_text="Shown on the leaderboard. Leave it empty only if your metadata names the "
        "system.",
    )
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What is new or different in this system.",
    )
    audio_modelling = NameField(
        label=CHARACTERISTICS["audio_modelling"],
        required=False,
        max_length=120,
        help_text="For example: CNN14, BEATs",
    )
    word_modelling = NameField(
        label=CHARACTERISTICS["word_modelling"],
        required=False,
        max_length=120,
        help_text="For example: transformer, BART",
    )
    total_parameters = forms.IntegerField(
        label=CHARACTERISTICS["total_parameters"],
        required=False,
        min_value=0,
        max_value=10**15,
        help_text="All of the system's, as a whole number: 98000000",
    )
    external_datasets = forms.CharField(
        label=CHARACTERISTICS["external_datasets"],
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Training data other than the challenge's.",
    )
    source_code = forms.URLField(
        label=CHARACTERISTICS["source_code"],
        required=False,
        max_length=300,
        assume_scheme="https",
        validators=[URLValidator(schemes=["http", "https"])],
        help_text="Address of the repository.",
    )
    field_order = ["team", "system_name", "file", "description", *CHARACTERISTICS]

    def __init__(self, *args: Any, phase: Phase, teams: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["report"].help_text = _report_hint(phase)
        only = list(teams[:2])
        chosen = only[0] if len(only) == 1 else None
        self.fields["team"] = forms.ModelChoiceField(
            queryset=teams,
            initial=chosen,
            empty_label=None if chosen else "Choose a team",
            error_messages={"invalid_choice": "Choose one of your teams."},
        )
        self.order_fields(self.field_order)

    def clean(self) -> dict[str, Any]:
        """Ask for a name where neither the person nor the metadata gave one."""
        values = super().clean() or self.cleaned_data
        if "file" in values and not values.get("system_name", "x"):
            package = self.package()
            # A package that is refused anyway may still get a name with the next one.
            if not package.errors and not suggested_name(package):
                self.add_error(
                    "system_name", "Type a name: your metadata does not name this system."
                )
        return values

    @property
    def system(self) -> SystemDescription:
        """The valid form's description; what was left empty is left out."""
        values = self.cleaned_data
        metadata = {
            name: values[name] for name in CHARACTERISTICS if values[name] not in (None, "")
        }
        return SystemDescription(values["system_name"], values["description"], metadata)


def _report_hint(phase: Phase) -> str:
    if phase.closes_at is None:
        return (
            "A PDF. This phase has no closing date, so everyone who can see the system can read "
            "the report at once."
        )
    closes = moment_in(phase.closes_at, phase.challenge.time_zone)
    return f"A PDF. Others can read it once the phase has closed, at {closes}."


class DescriptionForm(forms.Form):
    """The name, the words, and all of the metadata as YAML."""

    system_name = RowNameField(
        label="System name", max_length=80, help_text="Shown on the leaderboard."
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
        help_text="It replaces everything above.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.faults: tuple[Fault, ...] = ()
        self.file_name = "the metadata"

    def clean(self) -> dict[str, Any]:
        """Read the metadata, from the file where there is one; store its faults in ``faults``."""
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
    def changes(self) -> dict[str, Any]:
        """The valid form's values."""
        values = self.cleaned_data
        named = {name: values[name] for name in ("system_name", "description")}
        return {**named, "metadata": values["read"]}
