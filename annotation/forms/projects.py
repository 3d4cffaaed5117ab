"""The forms with which projects are made, filled with captions and changed."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.forms.models import model_to_dict

from annotation.models import Order, Project, Role, Scheme
from annotation.services.formats.sources import CaptionSource
from annotation.services.projects import ProjectRules, ProjectSettings
from leaderboard.models import Phase, Submission, User

MOST_GUIDELINES = 20_000


class SettingsForm(forms.Form):
    """What can be changed of a project."""

    name = forms.CharField(label="Name", max_length=80)
    copies = forms.IntegerField(
        label="People for a caption",
        min_value=1,
        max_value=20,
        initial=2,
        help_text="How many label a caption that measures agreement.",
    )
    share = forms.IntegerField(
        label="Labelled by several, in %",
        min_value=0,
        max_value=100,
        initial=20,
        help_text="These captions measure agreement; the others go to one person each.",
    )
    order = forms.ChoiceField(
        label="Order",
        choices=Order.choices,
        help_text="Most uncertain first: those of which the labeller is least sure. Played through"
        " on the ACES captions, it needed about as many of them as random order for the same F1.",
    )
    settle_own = forms.BooleanField(
        label="Adjudicators may decide captions that they labelled themselves",
        required=False,
        help_text="As a rule someone else decides them.",
    )
    suggest = forms.BooleanField(
        label="Suggest labels",
        required=False,
        help_text="Shows what the labeller in use says, on captions that one person labels. "
        "Those that measure agreement never have suggestions.",
    )
    guidelines = forms.CharField(
        label="Guidelines",
        required=False,
        max_length=MOST_GUIDELINES,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown, at most 20,000 characters. The labels with their own guidelines are "
        "shown below it.",
        error_messages={
            "max_length": "The guidelines have %(show_value)d characters, and at most "
            "%(limit_value)d are allowed. Move what is rarely read to another page, and link it."
        },
    )

    def clean_name(self) -> str:
        """Refuse characters that nobody sees."""
        name = " ".join(str(self.cleaned_data["name"]).split())
        if not name.isprintable():
            raise ValidationError("The name holds an invisible character. Type it anew.")
        return name

    @property
    def settings(self) -> ProjectSettings:
        """The valid form's values."""
        values = self.cleaned_data
        rules = ProjectRules(
            guidelines=values["guidelines"],
            order=Order(values["order"]),
            copies=values["copies"],
            share=values["share"] / 100,
            offered=values.get("offered", []),
            settle_own=values["settle_own"],
            suggest=values["suggest"],
        )
        return ProjectSettings(values["name"], rules)


class NewProjectForm(SettingsForm):
    """A project that is not there yet."""

    scheme = forms.ModelChoiceField(
        label="Labels", queryset=Scheme.objects.none(), empty_label=None
    )
    field_order = ["name", "scheme"]

    def __init__(self, data: Any = None, *, schemes: list[Scheme]) -> None:
        super().__init__(data)
        field = self.fields["scheme"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = Scheme.objects.filter(pk__in=[scheme.pk for scheme in schemes])
            field.initial = max(schemes, key=lambda scheme: len(scheme.names), default=None)
        self._offered = {scheme: f"offered-{scheme.pk}" for scheme in schemes}
        for scheme, name in self._offered.items():
            self.fields[name] = forms.MultipleChoiceField(
                label=f"Offered labels, {scheme.title}",
                required=False,
                widget=forms.CheckboxSelectMultiple,
                choices=[(one.name, one.title) for one in scheme.inventory],
            )

    @property
    def offered_fields(self) -> list[tuple[Scheme, forms.BoundField]]:
        """The labels to choose from, by scheme."""
        return [(scheme, self[name]) for scheme, name in self._offered.items()]

    def clean(self) -> dict[str, Any]:
        """Take the labels chosen of the scheme; refuse those of another rather than forget them."""
        values = super().clean() or self.cleaned_data
        chosen = values.get("scheme")
        for scheme, name in self._offered.items():
            if chosen is not None and scheme != chosen and values.get(name):
                self.add_error(
                    name,
                    f"The project has the labels of {chosen.title}. Choose among those, or none "
                    "for all of them.",
                )
        if chosen is not None:
            values["offered"] = values.get(self._offered[chosen], [])
        return values


class ProjectForm(SettingsForm):
    """A project that is there: its labels can be restricted, not exchanged."""

    offered = forms.MultipleChoiceField(
        label="Labels that are offered",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: all.",
    )
    field_order = [
        "name",
        "copies",
        "share",
        "order",
        "offered",
        "suggest",
        "settle_own",
        "guidelines",
    ]

    def __init__(self, data: Any = None, *, project: Project) -> None:
        initial = model_to_dict(project, fields=self.field_order)
        super().__init__(data, initial=initial | {"share": round(project.share * 100)})
        offered = self.fields["offered"]
        if isinstance(offered, forms.ChoiceField):
            offered.choices = [(one.name, one.title) for one in project.scheme.inventory]


class MemberForm(forms.Form):
    """Someone to let in."""

    username = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.ANNOTATOR)

    def clean_username(self) -> str:
        """Find the person, who is ``user`` then."""
        name = str(self.cleaned_data["username"])
        self.user = User.objects.filter(username=name, is_active=True).first()
        if self.user is None:
            raise ValidationError("There is nobody of this username. It is case sensitive.")
        return name


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
        help_text="Everyone in the project reads them, hidden ones too.",
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
        widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.json,text/csv"}),
        help_text="CSV with a column text or caption, JSON lines with text, or Prodigy's JSONL "
        "with labels. The same file again changes nothing.",
    )
    map_from = forms.ChoiceField(label="Labels of the file", required=False)

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
            mapping.choices = [("", "Those of the project"), *schemes]
        if not schemes:
            del self.fields["map_from"]

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
            map_from=values.get("map_from", ""),
        )

    @property
    def chosen(self) -> bool:
        """Whether anything was chosen."""
        values = self.cleaned_data
        return any(values[name] for name in ("phase", "submission", "file"))
