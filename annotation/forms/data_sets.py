"""The forms of data sets: making one, checking, deciding, splitting, publishing and describing."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotation.forms.choices import seed_field
from annotation.forms.project_settings import visible_name
from annotation.models import DataSet, Project, Publication
from annotation.models.data_set import LONGEST_PART
from annotation.selectors.data_sets.checking import kinds_of
from annotation.selectors.data_sets.findings import STATES, FindingFilter, kind_title
from annotation.services.data_sets.making import DataSetAct, data_set_publish
from annotation.services.data_sets.splits import SplitRequest
from earmark.captions.faults import count_of
from earmark.captions.file_layout import REFERENCE_LIMITS
from earmark.datasets.findings import KINDS
from earmark.datasets.splitting import SIMILARITY, read_parts
from earmark.datasets.splitting.origins import ORIGIN_COLUMNS
from leaderboard.forms.references import HumanRowForm, SameCaptionsForm
from leaderboard.forms.uploads import LimitedFileField
from leaderboard.models import Phase
from leaderboard.web.form_choices import offer

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
        sources = [values.get("project"), values.get("file")]
        if not self.errors and sources.count(None) != 1:
            fault = "You chose a project and a file." if all(sources) else "No captions are chosen."
            self.add_error(None, f"{fault} Choose a project or a file.")
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


HIDDEN, OPEN = "hidden", "open"
LONGEST_PROCEDURE = 20_000


class PublishForm(HumanRowForm, SameCaptionsForm):
    """Which part becomes the references of which phase, with which human row, and who reads it."""

    phase = forms.ModelChoiceField(
        queryset=Phase.objects.none(),
        label="Phase",
        required=False,
        empty_label="No phase: store the references for later",
        help_text="Phases of challenges that you organise. A phase that already has submissions "
        "keeps its references.",
    )
    readers = forms.ChoiceField(
        label="Who may read the captions",
        choices=[
            (HIDDEN, "Organisers only: hidden references"),
            (OPEN, "Everyone, once the phase opens"),
        ],
        initial=HIDDEN,
        widget=forms.RadioSelect,
    )
    part = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    field_order = ("phase", "human_row", "readers", "confirmed")

    def __init__(self, data: Any = None, *, phases: QuerySet[Phase], **options: Any) -> None:
        super().__init__(data, **options)
        offer(self, "phase", phases)
        self.fields["human_row"].help_text = (
            "If you choose a phase, its leaderboard shows this as a row without a rank, as a "
            "guide to how well people agree."
        )

    def publish(self, data_set: DataSet, act: DataSetAct) -> Publication:
        """Publish what the valid form asks for."""
        values = self.cleaned_data
        return data_set_publish(
            data_set=data_set,
            act=act,
            part=values["part"],
            phase=values["phase"],
            public=values["readers"] == OPEN,
            seen=values["seen"],
            confirmed=values["confirmed"],
        )


class ProcedureForm(forms.Form):
    """How the data set was made, in words."""

    procedure = forms.CharField(
        label="How it was made",
        required=False,
        max_length=LONGEST_PROCEDURE,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Markdown text for the data card. It is also shown if the references are hidden, "
        "so do not quote captions in it.",
    )


USUAL = "development=.6,validation=.2,evaluation=.2"


class SplitForm(forms.Form):
    """Parts, seed and what stays together; ``published`` names parts that were published."""

    parts = forms.CharField(
        label="Parts and their shares",
        max_length=500,
        initial=USUAL,
        help_text="Write NAME=SHARE, separated by commas. The shares must add up to 1. The largest "
        "part is for training models, so rare words are put into it.",
    )
    seed = seed_field(0, "The same captions, options and seed give the same parts.")
    columns = forms.MultipleChoiceField(
        label="Clips with the same value stay together",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    similarity = forms.DecimalField(
        label="Keep clips together if their captions have a similarity of at least",
        required=False,
        min_value=0,
        max_value=1,
        initial=str(float(SIMILARITY)),
        help_text="The share of words that two captions have in common, above 0 and up to 1. If "
        "empty, captions are not compared.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    sure = forms.BooleanField(label="Split again anyway", required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        columns: Mapping[str, int],
        published: Sequence[str],
        split: SplitRequest | None = None,
    ) -> None:
        usual = [name for name in columns if name in ORIGIN_COLUMNS]
        initial: dict[str, Any] = {"columns": usual}
        if split is not None:
            initial |= {"parts": split.parts, "seed": split.seed, "columns": list(split.columns)}
            initial["similarity"] = split.similarity
        super().__init__(data, initial=initial)
        self._published = published
        text = "{} ({} share theirs with others)"
        offer(
            self,
            "columns",
            [(name, text.format(name, count_of(clips, "clip"))) for name, clips in columns.items()],
        )
        if not columns:
            del self.fields["columns"]
        if not published:
            del self.fields["sure"]

    def clean_parts(self) -> str:
        """Refuse parts that cannot be; every fault is told."""
        text = str(self.cleaned_data["parts"])
        read = read_parts(text)
        faults = [f"{fault.value}: {fault.message}" for fault in read.faults]
        faults += [
            f"{part.name}: The name of a part has at most {LONGEST_PART} characters. Shorten it."
            for part in read.parts
            if len(part.name) > LONGEST_PART
        ]
        if faults:
            raise ValidationError([ValidationError(fault.removeprefix(": ")) for fault in faults])
        return text

    def clean_similarity(self) -> str:
        """The similarity as text, "" for none; 0 would keep all clips together."""
        value = self.cleaned_data["similarity"]
        if value is not None and not Fraction(value):
            raise ValidationError(
                "0 would keep all clips together. Enter more than 0, or leave the field empty."
            )
        return "" if value is None else str(value)

    def clean(self) -> dict[str, Any]:
        """Ask first where a part of the split was published."""
        values = super().clean() or self.cleaned_data
        if self._published and not values.get("sure"):
            names = ", ".join(self._published)
            self.add_error(
                "sure",
                f"Already published: {names}. The published references stay as they are and may "
                "overlap with the new parts. Tick the box to split again anyway.",
            )
        return values

    @property
    def request(self) -> SplitRequest:
        """What the valid form asks for."""
        values = self.cleaned_data
        return SplitRequest(
            values["parts"], values["seed"], tuple(values.get("columns", ())), values["similarity"]
        )
