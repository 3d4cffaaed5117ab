"""The forms with which a project is made and its settings are changed."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import model_to_dict
from django.http import QueryDict

from annotation.formats.scheme_file import LARGEST, SchemeFileFault, read_scheme
from annotation.models import Order, Project, Scheme
from annotation.services.life_cycle import SETTINGS, SettingsChanged, setting_stamps
from annotation.services.projects import ProjectRules, ProjectSettings
from leaderboard.forms.uploads import LimitedFileField
from leaderboard.web.form_choices import offer

MOST_GUIDELINES = 20_000


def visible_name(name: object) -> str:
    """A name in one line; raises ``ValidationError`` for characters that nobody sees."""
    line = " ".join(str(name).split())
    if not line.isprintable():
        raise ValidationError("The name has an invisible character. Type it again.")
    return line


class SettingsForm(forms.Form):
    """What can be changed of a project."""

    name = forms.CharField(label="Name", max_length=80)
    copies = forms.IntegerField(
        label="People for a caption",
        min_value=1,
        max_value=20,
        initial=2,
        help_text="How many people label each caption that measures agreement.",
    )
    share = forms.IntegerField(
        label="Labelled by several, in %",
        min_value=0,
        max_value=100,
        initial=20,
        help_text="These captions measure agreement; each other caption is labelled by one person.",
    )
    order = forms.ChoiceField(
        label="Order",
        choices=Order.choices,
        help_text="Most uncertain first: captions that the labeller is least sure of come first. "
        "In a simulation on the ACES captions, it needed about as many captions as random order "
        "to reach the same F1.",
    )
    settle_own = forms.BooleanField(
        label="Adjudicators may decide captions that they labelled themselves",
        required=False,
        help_text="Otherwise someone else decides them.",
    )
    suggest = forms.BooleanField(
        label="Suggest labels",
        required=False,
        help_text="Shows the predictions of the labeller in use on captions that one person "
        "labels. Captions that measure agreement never have suggestions.",
    )
    suggestion_threshold = forms.IntegerField(
        label="Strong suggestions from, in %",
        min_value=0,
        max_value=100,
        initial=70,
        help_text="The labeller's confidence. Weaker suggestions are faded and must be accepted "
        "one by one.",
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


class ProjectForm(SettingsForm):
    """A project that is there: its labels can be restricted, not exchanged."""

    offered = forms.MultipleChoiceField(
        label="Labels that are offered",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="If none is chosen, all are offered.",
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
        offer(self, "offered", [(one.name, one.title) for one in project.scheme.inventory])

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
                self.add_error(
                    None, "Somebody else changed the limits in the meantime. Yours were not saved."
                )
                continue
            is_now = f"It is now: {_shown(now[name])}."
            if name == "guidelines":
                is_now = "You find the new version on the guidelines page, where it is kept."
            self.add_error(
                name,
                f"Somebody else changed this in the meantime. {is_now} Your change was not "
                "saved; save again to replace theirs.",
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
                "While test captions are in use, captions cannot be handed out in the original "
                "order, because tests could be recognised by their numbers. Switch tests off "
                "under Quality first."
            )
        return order


def _shown(field: forms.BoundField) -> str:
    """What an unbound field holds, as its page shows it."""
    chosen = [str(one.choice_label) for one in field.subwidgets if one.data.get("selected")]
    return ", ".join(chosen) or str(field.value() or "all")


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
        help_text="JSON or YAML, as downloaded from the page Labels of a project.",
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
        most = max(schemes, key=lambda scheme: len(scheme.names), default=None)
        choices = [
            *((key, str(scheme)) for key, scheme in self._schemes.items()),
            *((key, f"{row.scheme}, of {row}") for key, row in self._projects.items()),
            (OF_FILE, "From a file"),
            (EMPTY, "No labels yet: write them in the browser"),
        ]
        offer(self, "scheme", choices, None if most is None else str(most.pk))
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
                whose = "" if chosen is None else f" of {chosen.title}"
                self.add_error(
                    name,
                    f"The project has the labels{whose} chosen above. Choose some of these, or "
                    "none to offer all of them.",
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
            title, summary, found = read_scheme(file.read())
        except SchemeFileFault as error:
            self.add_error("scheme_file", [ValidationError(fault) for fault in error.faults])
            return None
        labels = [label.to_json() for label in found]
        return Scheme(title=title or values["name"], summary=summary, labels=labels)
