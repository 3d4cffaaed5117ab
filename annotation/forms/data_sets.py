"""The forms of data sets in the making."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet

from annotation.forms.choices import offer
from annotation.forms.project_settings import visible_name
from annotation.models import DataSet, Project
from annotation.selectors.data_sets.checking import kinds_of
from annotation.selectors.data_sets.findings import STATES, FindingFilter, kind_title
from leaderboard.forms.uploads import LimitedFileField
from scoring.captions.file_layout import REFERENCE_LIMITS
from scoring.datasets.findings import KINDS

MOST_WORDS = 1000


def _limit() -> int:
    return int(settings.MAX_REFERENCES_BYTES)


_ADVICE = "An administrator of this site can change the limit (EARMARK_MAX_REFERENCES_BYTES)."


class CaptionsForm(forms.Form):
    """Where captions come from: a file, perhaps with a table of what is known of the clips."""

    file = LimitedFileField(
        label="File with captions",
        required=False,
        accept=".csv,.tsv,.json,.jsonl,text/csv",
        limit=_limit,
        advice=_ADVICE,
        help_text="CSV in the format of Clotho (file_name, caption_1 and so on) or AudioCaps "
        "(youtube_id, caption), JSON or JSON lines.",
    )
    metadata = LimitedFileField(
        label="Table of the clips",
        required=False,
        accept=".csv,.tsv,text/csv",
        limit=_limit,
        advice=_ADVICE,
        help_text="CSV with file_name and any other columns, such as tags, license or uploader, "
        "which are kept with the clips.",
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a table without captions."""
        values = super().clean() or self.cleaned_data
        if values.get("metadata") and not values.get("file"):
            self.add_error("file", "Choose the file with the captions of these clips.")
        return values


class NewDataSetForm(CaptionsForm):
    """A data set that is not there yet, from a project or a file."""

    name = forms.CharField(label="Name", max_length=80)
    project = forms.ModelChoiceField(
        Project.objects.none(),
        label="Captions of a project",
        required=False,
        empty_label="No project: use a file",
        help_text="The accepted captions of the project. You can import more later.",
    )
    field_order = ["name", "project", "file", "metadata"]

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        projects: QuerySet[Project],
        chosen: Project | None = None,
    ) -> None:
        super().__init__(data, files, initial={"project": chosen})
        offer(self, "project", projects)

    def clean_name(self) -> str:
        """Refuse characters that nobody sees."""
        return visible_name(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        """Refuse what comes from nowhere, and from two places."""
        values = super().clean()
        given = [values.get("project"), values.get("file")]
        if not self.errors and given.count(None) != 1:
            said = "You chose a project and a file." if all(given) else "No captions are chosen."
            self.add_error(None, f"{said} Choose a project or a file.")
        return values


class CheckForm(forms.Form):
    """What captions are checked for."""

    kinds = forms.MultipleChoiceField(
        label="Look for",
        choices=[(name, kind_title(name)) for name in KINDS],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one kind of finding."},
    )
    min_words = forms.IntegerField(label="Fewest words", min_value=0, max_value=MOST_WORDS)
    max_words = forms.IntegerField(label="Most words", min_value=1, max_value=MOST_WORDS)

    def __init__(self, data: Any = None, *, data_set: DataSet) -> None:
        stored = {"min_words": data_set.min_words, "max_words": data_set.max_words}
        super().__init__(data, initial={"kinds": kinds_of(data_set), **stored})

    def clean(self) -> dict[str, Any]:
        """Refuse limits that no caption keeps."""
        values = super().clean() or self.cleaned_data
        if not self.errors and values["min_words"] > values["max_words"]:
            self.add_error("max_words", "Write at least as many as the fewest words.")
        return values


class FindingFilterForm(forms.Form):
    """Which findings are shown."""

    kind = forms.ChoiceField(
        required=False, choices=[("", "All kinds"), *((name, kind_title(name)) for name in KINDS)]
    )
    state = forms.ChoiceField(
        required=False, choices=[(name, verdict.label) for name, verdict in STATES.items()]
    )

    @property
    def chosen(self) -> FindingFilter:
        """What is asked for; what cannot be is left out."""
        self.is_valid()
        values = self.cleaned_data
        return FindingFilter(values.get("kind") or "", values.get("state") or "open")


class DecisionForm(forms.Form):
    """What is done with a finding: a suggestion by its place, a new text, or another act."""

    act = forms.ChoiceField(
        required=False,
        choices=[
            (name, name) for name in ("accept", "edit", "dismiss", "dismiss-all", "take-back")
        ],
    )
    choice = forms.IntegerField(required=False, min_value=0, max_value=10_000)
    text = forms.CharField(
        required=False, strip=False, max_length=REFERENCE_LIMITS.max_caption_chars
    )
    seen = forms.CharField(required=False, max_length=64)
    following = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def clean(self) -> dict[str, Any]:
        """Find out what is meant: a suggestion is taken where one is named and nothing else."""
        values = super().clean() or self.cleaned_data
        if not values.get("act"):
            values["act"] = "accept"
        if values["act"] == "accept" and values.get("choice") is None and not self.errors:
            self.add_error(
                None,
                "Nothing was chosen. Apply a suggestion, edit the caption or dismiss the finding.",
            )
        return values


class CaptionForm(forms.Form):
    """A caption as it should be."""

    text = forms.CharField(
        label="Caption",
        strip=False,
        max_length=REFERENCE_LIMITS.max_caption_chars,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
