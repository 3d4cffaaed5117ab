"""The form with which captions are added to a project."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet

from annotation.selectors.inventories import InventoryChoice
from annotation.services.formats.sources import CaptionSource
from leaderboard.models import Phase, Submission


class PhaseField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """A phase with its challenge, and whether its references are hidden."""

    def label_from_instance(self, obj: Any) -> str:
        """The text of the choice."""
        hidden = "" if obj.references_public else " (hidden references)"
        return f"{obj.challenge}: {obj.name}{hidden}"


class SubmissionField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic
    """A system with its team and its phase."""

    def label_from_instance(self, obj: Any) -> str:
        """The text of the choice."""
        return f"{obj.system_name} ({obj.team}), {obj.phase}"


class SourceForm(forms.Form):
    """Captions from references, from a system or from a file; all may stay empty."""

    phase = PhaseField(
        label="References of a phase",
        queryset=Phase.objects.none(),
        required=False,
        empty_label="None",
        help_text="Everyone in the project can read them, even if they are hidden.",
    )
    one_each = forms.BooleanField(
        label="Only the first reference of each clip", required=False, initial=True
    )
    submission = SubmissionField(
        label="Captions of a system",
        queryset=Submission.objects.none(),
        required=False,
        empty_label="None",
    )
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.jsonl,.json,.conll,.zip,.spacy"}),
        help_text="CSV with a column of captions, plain text with one caption per line, JSON lines "
        "with text, or a file exported from another project. Importing the same file "
        "again changes nothing.",
    )
    map_from = forms.ChoiceField(label="Inventory of its labels", required=False)

    def __init__(
        self,
        *args: Any,
        phases: QuerySet[Phase],
        submissions: QuerySet[Submission],
        schemes: list[tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, rows in (("phase", phases), ("submission", submissions)):
            field = self.fields[name]
            if isinstance(field, forms.ModelChoiceField):
                field.queryset = rows
        mapping = self.fields["map_from"]
        if isinstance(mapping, forms.ChoiceField):
            mapping.choices = [("", "Find out from the labels"), *schemes]

    def clean_file(self) -> "UploadedFile[bytes] | None":
        """Refuse a file that is too large."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > settings.MAX_UPLOAD_BYTES:
            limit = f"{settings.MAX_UPLOAD_BYTES / 1_000_000:g} MB"
            raise ValidationError(
                f"The file is larger than {limit}. Split it, or use the command "
                "import_annotations on the server."
            )
        return file

    @property
    def source(self) -> CaptionSource:
        """What the valid form chose."""
        values = self.cleaned_data
        file: UploadedFile[bytes] | None = values["file"]
        return CaptionSource(
            phase=values["phase"],
            one_each=values["one_each"],
            submission=values["submission"],
            file=None if file is None else file.open("rb"),
            file_name="" if file is None else (file.name or ""),
            labels=InventoryChoice(source=values["map_from"]),
        )

    @property
    def chosen(self) -> bool:
        """Whether anything was chosen."""
        values = self.cleaned_data
        return any(values[name] for name in ("phase", "submission", "file"))
