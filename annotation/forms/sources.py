"""The forms with which captions, and pairs of captions, are added to a project."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q, QuerySet

from annotation.forms.choices import seed_field
from annotation.kinds.judge.drawing import FACETS, facet_counts
from annotation.selectors.schemes import InventoryChoice
from annotation.services.formats.file_imports import FileChoice, LabelFile
from annotation.services.formats.sources import CaptionSource
from leaderboard.models import Phase, Submission
from leaderboard.web.form_choices import offer

LISTED = 100


class PhaseField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """A phase with its challenge, and whether its references are hidden."""

    def label_from_instance(self, obj: Any) -> str:
        """The text of the choice."""
        hidden = "" if obj.references_public else " (hidden references)"
        return f"{obj.challenge}: {obj.name}{hidden}"


class SubmissionField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic
    """A system with its team and its phase; every one may be chosen, some are listed."""

    def offer(self, rows: QuerySet[Submission], chosen: Submission | None = None) -> list[int]:
        """List the first of these systems, and what is chosen; returns their keys and one more."""
        names = ("pk", "system_name", "team__name", "phase__challenge__title", "phase__name")
        systems = list(rows.values_list(*names)[: LISTED + 1])
        if chosen is not None:
            systems = [*rows.filter(pk=chosen.pk).values_list(*names), *systems]
        listed = {
            key: f"{system} ({team}), {challenge}: {phase}"
            for key, system, team, challenge, phase in systems[:LISTED]
        }
        self.choices = [("", self.empty_label), *listed.items()]
        return [row[0] for row in systems]


def systems_with(rows: QuerySet[Submission], find: str) -> QuerySet[Submission]:
    """The systems in whose names, teams or phases each of these words stands, or with this id."""
    for word in find.split():
        rows = rows.filter(
            Q(system_name__icontains=word)
            | Q(team__name__icontains=word)
            | Q(phase__name__icontains=word)
            | Q(phase__challenge__title__icontains=word)
            | Q(public_id=word)
        )
    return rows


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
    find = forms.CharField(
        label="Another system",
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=f"The latest {LISTED} systems are listed. For another one, enter its id or a "
        "part of its name, its team's or its phase's. If several match, choose among them.",
    )
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.jsonl,.json,.spacy"}),
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
        self._systems = cast("SubmissionField", self.fields["submission"])
        self._systems.queryset = self._submissions = submissions
        offer(self, "phase", phases)
        offer(self, "map_from", [("", "Find out from the labels"), *schemes])
        if len(self._systems.offer(submissions)) <= LISTED:
            del self.fields["find"]

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

    def clean(self) -> dict[str, Any]:
        """Take the system that is looked for where only one fits, else list those that do."""
        values = super().clean() or self.cleaned_data
        chosen, find = values.get("submission"), values.get("find")
        if chosen:
            self._systems.offer(self._submissions, chosen)
        elif find and "submission" not in self.errors:
            keys = self._systems.offer(systems_with(self._submissions, find))
            if len(keys) == 1:
                values["submission"] = self._submissions.get(pk=keys[0])
            elif keys:
                many = f"More than {LISTED} systems match. Enter more of the name, or choose one of"
                few = f"{len(keys)} systems match. Choose one of"
                self.add_error("find", f"{many if len(keys) > LISTED else few} those listed now.")
            else:
                self._systems.offer(self._submissions)
                self.add_error("find", "No system matches. Enter its id, or less of the name.")
        return values

    @property
    def source(self) -> CaptionSource:
        """What the valid form chose."""
        values = self.cleaned_data
        file: UploadedFile[bytes] | None = values["file"]
        return CaptionSource(
            phase=values["phase"],
            one_each=values["one_each"],
            submission=values["submission"],
            file=None if file is None else LabelFile(file.open("rb"), file.name or ""),
            choice=FileChoice(InventoryChoice(values["map_from"])),
        )

    @property
    def chosen(self) -> bool:
        """Whether anything was chosen."""
        values = self.cleaned_data
        return any(values[name] for name in ("phase", "submission", "file"))


MOST_PAIRS = 5000
FACET_TITLES = {
    "HC": "HC: two human captions of the clip",
    "HI": "HI: a human caption of the clip, and one of another clip",
    "HM": "HM: a human and a machine caption",
    "MM": "MM: two machine captions",
}
# How many systems each kind of pair needs.
_NEEDS = {"HM": 1, "MM": 2}
_AT_FIRST = 10


class PairPhaseForm(forms.Form):
    """Which phase pairs are drawn from."""

    phase = PhaseField(label="Phase", queryset=Phase.objects.none(), empty_label="Choose")

    def __init__(self, data: Any = None, *, phases: Any) -> None:
        super().__init__(data)
        offer(self, "phase", phases)


class PairsForm(forms.Form):
    """How many pairs of a phase are drawn, of which kinds and which systems."""

    count = forms.IntegerField(
        label="Pairs",
        min_value=1,
        max_value=MOST_PAIRS,
        initial=200,
        help_text="Divided as in FENSE's benchmark: one pair of each other kind for every five "
        "pairs of two systems.",
    )
    facets = forms.MultipleChoiceField(
        label="What is compared",
        choices=list(FACET_TITLES.items()),
        widget=forms.CheckboxSelectMultiple,
        initial=list(FACETS),
    )
    systems = forms.MultipleChoiceField(
        label="Systems", required=False, widget=forms.CheckboxSelectMultiple
    )
    seed = seed_field(1, "The same seed draws the same pairs.")

    def __init__(self, data: Any = None, *, systems: Sequence[Submission]) -> None:
        super().__init__(data)
        self._systems = {row.public_id: row for row in systems}
        titles = [(row.public_id, f"{row.system_name} ({row.team})") for row in systems]
        offer(self, "systems", titles, [row.public_id for row in systems[:_AT_FIRST]])
        if not systems:
            self.fields["facets"].initial = ["HC", "HI"]

    def clean(self) -> dict[str, Any]:
        """Refuse kinds of pairs for which there are too few systems."""
        values = super().clean() or self.cleaned_data
        chosen = len(values.get("systems", ()))
        for facet in values.get("facets", ()):
            if chosen < (needed := _NEEDS.get(facet, 0)):
                self.add_error(
                    "systems",
                    ValidationError(
                        f"{facet} needs {needed} of them, but you chose {chosen}. Choose more, "
                        f"or leave out {facet}."
                    ),
                )
        return values

    @property
    def draw(self) -> dict[str, Any]:
        """What the valid form asks for: ``systems``, ``counts`` of each kind, a ``seed``."""
        values = self.cleaned_data
        return {
            "systems": [self._systems[public_id] for public_id in values["systems"]],
            "counts": facet_counts(values["count"], values["facets"]),
            "seed": values["seed"],
        }
