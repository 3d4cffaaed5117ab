"""The forms with which projects are made, filled with captions and changed."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.forms.models import model_to_dict
from django.http import QueryDict

from annotation.formats.scheme_file import LARGEST, SchemeFileFault, read_scheme
from annotation.models import MOST_USES, Member, Order, Project, Role, Scheme
from annotation.selectors.inventories import InventoryChoice
from annotation.services.formats.sources import CaptionSource
from annotation.services.invitations import InvitationTerms
from annotation.services.projects import (
    SETTINGS,
    ProjectRules,
    ProjectSettings,
    SettingsChanged,
    setting_stamps,
)
from leaderboard.forms.uploads import LimitedFileField
from leaderboard.models import Phase, Submission, User

MOST_GUIDELINES = 20_000


def visible_name(name: object) -> str:
    """A name in one line; raises ``ValidationError`` for characters that nobody sees."""
    found = " ".join(str(name).split())
    if not found.isprintable():
        raise ValidationError("The name holds an invisible character. Type it anew.")
    return found


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
    suggestion_threshold = forms.IntegerField(
        label="Strong suggestions from, in %",
        min_value=0,
        max_value=100,
        initial=70,
        help_text="How sure the labeller is of a suggestion. Weaker ones are faded, and each is "
        "taken or left by itself.",
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
        return visible_name(self.cleaned_data["name"])

    def clean_guidelines(self) -> str:
        """End lines as they are stored, whatever ends browsers send."""
        return str(self.cleaned_data["guidelines"]).replace("\r\n", "\n")

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
            suggestion_threshold=values["suggestion_threshold"] / 100,
        )
        return ProjectSettings(values["name"], rules)


OF_PROJECT, EMPTY, OF_FILE = "project-", "empty", "file"


class NewProjectForm(SettingsForm):
    """A project that is not there yet.

    Its labels are a published scheme's, those of another project, of a file, or none yet.
    """

    scheme = forms.ChoiceField(label="Labels")
    scheme_file = LimitedFileField(
        label="File with labels",
        required=False,
        accept=".json,.yaml,.yml",
        limit=lambda: LARGEST,
        advice="Shorten it.",
        help_text="JSON or YAML, as the page Labels of a project gives them.",
    )
    field_order = ["name", "scheme"]

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        schemes: list[Scheme],
        projects: Iterable[Project] = (),
    ) -> None:
        super().__init__(data, files)
        self._schemes = {str(scheme.pk): scheme for scheme in schemes}
        self._projects = {f"{OF_PROJECT}{row.pk}": row for row in projects}
        field = self.fields["scheme"]
        if isinstance(field, forms.ChoiceField):
            others = [(key, f"{row.scheme}, of {row}") for key, row in self._projects.items()]
            field.choices = [
                *((key, str(scheme)) for key, scheme in self._schemes.items()),
                *others,
                (OF_FILE, "From a file"),
                (EMPTY, "None yet: write them in the browser"),
            ]
            most = max(schemes, key=lambda scheme: len(scheme.names), default=None)
            field.initial = None if most is None else str(most.pk)
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
        chosen = self._schemes.get(values.get("scheme", ""))
        for scheme, name in self._offered.items():
            if scheme != chosen and values.get(name):
                said = "" if chosen is None else f" of {chosen.title}"
                self.add_error(
                    name,
                    f"The project has the labels{said} that are chosen above. Choose among those, "
                    "or none for all of them.",
                )
        if chosen is not None:
            values["offered"] = values.get(self._offered[chosen], [])
        if not self.errors:
            values["labels"] = chosen or self._own(values)
        return values

    def _own(self, values: Mapping[str, Any]) -> Scheme | None:
        """Labels that are to be the project's own, which are not stored yet."""
        source, file = values["scheme"], values.get("scheme_file")
        if source in self._projects:
            base = self._projects[source].scheme
            return Scheme(title=base.title, summary=base.summary, labels=base.labels)
        if source == EMPTY:
            return Scheme(title=values["name"], labels=[])
        if file is None:
            self.add_error("scheme_file", "Choose the file with the labels.")
            return None
        try:
            told = read_scheme(file.read())
        except SchemeFileFault as error:
            self.add_error("scheme_file", [ValidationError(fault) for fault in error.faults])
            return None
        labels = [label.to_json() for label in told.labels]
        return Scheme(title=told.title or values["name"], summary=told.summary, labels=labels)


class ProjectForm(SettingsForm):
    """A project that is there: its labels can be restricted, not exchanged."""

    offered = forms.MultipleChoiceField(
        label="Labels that are offered",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: all.",
    )
    # How the settings were when the form was shown; without it, as they are.
    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    field_order = [
        "name",
        "copies",
        "share",
        "order",
        "offered",
        "suggest",
        "suggestion_threshold",
        "settle_own",
        "guidelines",
    ]

    def __init__(self, data: Any = None, *, project: Project) -> None:
        initial = model_to_dict(project, fields=self.field_order)
        shares = {"share", "suggestion_threshold"} & initial.keys()
        percent = {name: round(initial[name] * 100) for name in shares}
        seen = " ".join(setting_stamps(project).values())
        super().__init__(data, initial=initial | percent | {"seen": seen})
        self._has_tests = project.test_every is not None
        offered = self.fields.get("offered")
        if isinstance(offered, forms.ChoiceField):
            offered.choices = [(one.name, one.title) for one in project.scheme.inventory]

    def clean_seen(self) -> dict[str, str] | None:
        """Take stamps of all settings, or none."""
        stamps = str(self.cleaned_data["seen"]).split()
        whole = len(stamps) == len(SETTINGS)
        return dict(zip(SETTINGS, stamps, strict=True)) if whole else None

    def refuse_changed(self, changed: SettingsChanged, project: Project) -> None:
        """Say what somebody else changed meanwhile; sent again the form replaces it."""
        now = type(self)(project=project)
        for name in changed.fields:
            if name not in now.fields:
                self.add_error(None, "Somebody changed the limits meanwhile. Yours are not saved.")
                continue
            is_now = f"It is now: {_shown(now[name])}."
            if name == "guidelines":
                is_now = "The page of guidelines has the new version, and keeps it."
            self.add_error(
                name,
                f"Somebody changed this meanwhile. {is_now} Yours is not saved; "
                "save again to put it in place of theirs.",
            )
        data = QueryDict(mutable=True)
        data.update(self.data)
        data["seen"] = now["seen"].value()
        self.data = data

    def clean_order(self) -> str:
        """Keep an order in which the number of a caption tells nothing, where there are tests."""
        order = str(self.cleaned_data["order"])
        if order == Order.GIVEN and self._has_tests:
            raise ValidationError(
                "While test captions are mixed in, captions cannot come as given: tests would be "
                "known by their numbers. Switch tests off under Quality first."
            )
        return order


def _shown(field: forms.BoundField) -> str:
    """What an unbound field holds, as its page shows it."""
    chosen = [str(one.choice_label) for one in field.subwidgets if one.data.get("selected")]
    return ", ".join(chosen) or str(field.value() or "all")


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


class MemberField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """A member by the name in the project."""

    def label_from_instance(self, obj: Any) -> str:
        """The text of the choice."""
        return str(obj.name)


class SessionForm(forms.Form):
    """Whom the work of a session of a file is given to."""

    member = MemberField(label="Member", queryset=Member.objects.none(), empty_label="Choose")

    def __init__(self, data: Any = None, *, project: Project) -> None:
        super().__init__(data)
        field = self.fields["member"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = project.members.filter(user__is_active=True).order_by("name")


class ProjectInvitationForm(forms.Form):
    """What an invitation offers."""

    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.ANNOTATOR)
    days = forms.IntegerField(label="Days that it works", min_value=1, max_value=90, initial=14)
    uses = forms.IntegerField(
        label="People who may use it", min_value=1, max_value=MOST_USES, initial=1
    )
    email = forms.EmailField(label="Mail it to", required=False)

    def __init__(self, data: Any = None, *, session: Member | None = None) -> None:
        # Another form on the page has a role, too.
        super().__init__(data, auto_id="invitation_%s")
        self._session = session
        if session is not None:
            # A session is one person.
            del self.fields["uses"]

    def clean(self) -> dict[str, Any]:
        """Refuse a mail to one address that lets several people in."""
        values = super().clean() or self.cleaned_data
        if values.get("email") and values.get("uses", 1) > 1:
            self.add_error(
                "uses",
                "A mailed invitation is for one person. Write 1, or leave the address empty and "
                "send the link yourself.",
            )
        return values

    @property
    def terms(self) -> InvitationTerms:
        """The valid form's values."""
        values = self.cleaned_data
        return InvitationTerms(
            Role(values["role"]),
            values.get("uses", 1),
            values["days"],
            values["email"].lower(),
            self._session,
        )


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
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.jsonl,.json,.conll,.zip,.spacy"}),
        help_text="CSV with a column of captions, a text with a caption on each line, JSON lines "
        "with text, or a file that another project gave. The same file again changes nothing.",
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
            mapping.choices = [("", "As the labels themselves say"), *schemes]

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
