"""The forms of projects whose work is another than labelling words."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotation.forms.captions import SendBackForm
from annotation.forms.project_settings import ProjectForm, SettingsForm, visible_name
from annotation.kinds.caption_texts import LIMIT_LABELS, word_limits
from annotation.kinds.names import EDIT, RATE, WRITE
from annotation.kinds.rate import KEEP
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import AnswerFault, WorkKind
from annotation.models import Order, Project
from annotation.services.projects import ProjectRules, ProjectSettings, Work
from annotation.services.stages import StageSettings
from leaderboard.web.form_choices import offer

OF_LABELS = ("share", "offered", "settle_own", "suggest", "suggestion_threshold")


def _people_field(kind: str, label: str) -> forms.IntegerField:
    people = kind_named(kind).people
    return forms.IntegerField(label=label, min_value=1, max_value=20, initial=people)


class _WorkFields(SettingsForm):
    """Name, people, order, guidelines and what can be set of the kind."""

    kind: WorkKind

    def _fit(self, kind: WorkKind, stored: Mapping[str, Any]) -> None:
        self.kind = kind
        for name in OF_LABELS:
            self.fields.pop(name, None)
        copies = self.fields["copies"]
        copies.label = "Answers per item"
        copies.help_text = f"How many people work on each of the {kind.items}."
        offer(self, "order", [(one.value, one.label) for one in (Order.RANDOM, Order.GIVEN)])
        self.fields["order"].help_text = ""
        for name, label in kind.option_labels.items():
            self.fields[name] = _option_field(kind, name, label, stored[name])
        self.fields["guidelines"].help_text = "Markdown, at most 20,000 characters."
        self.order_fields(["name", "copies", *kind.option_labels, "order", "guidelines"])

    def clean(self) -> dict[str, Any]:
        """Refuse options that do not go together."""
        values = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.kind.options(self._options(values))
            except AnswerFault as fault:
                raise ValidationError(str(fault)) from fault
        return values

    def _options(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values[name] for name in self.kind.option_labels}

    @property
    def settings(self) -> ProjectSettings:
        """The valid form's values."""
        values = self.cleaned_data
        rules = ProjectRules(
            guidelines=values["guidelines"], order=Order(values["order"]), copies=values["copies"]
        )
        return ProjectSettings(values["name"], rules, self._options(values))

    @property
    def work(self) -> Work:
        """The valid form's kind of work."""
        return Work(self.kind.name, self._options(self.cleaned_data))


def _option_field(kind: WorkKind, name: str, label: str, value: int) -> forms.Field:
    """A whole number, or a choice where the kind says what there is to choose from."""
    choices: Mapping[int, str] = kind.option_choices.get(name, {})
    if choices:
        return forms.TypedChoiceField(
            label=label, choices=list(choices.items()), coerce=int, initial=value
        )
    return forms.IntegerField(label=label, min_value=1, max_value=100, initial=value)


class NewWorkForm(_WorkFields):
    """A project that is not there yet; ``sources`` are those that may feed it."""

    source = forms.ModelChoiceField(
        label="Fed by",
        queryset=Project.objects.none(),
        empty_label="Choose",
        help_text="The project whose answers are the items of this one.",
    )

    def __init__(self, data: Any = None, *, kind: WorkKind, sources: QuerySet[Project]) -> None:
        super().__init__(data, initial={"copies": kind.people, "order": Order.RANDOM})
        self._fit(kind, kind.options({}))
        offer(self, "source", sources)
        self.order_fields(["name", "source"])
        if not kind.sources:
            del self.fields["source"]

    @property
    def work(self) -> Work:
        """The valid form's kind of work, with what feeds it."""
        return replace(super().work, source=self.cleaned_data.get("source"))


class CollectForm(forms.Form):
    """Three projects at once, in which captions are written, edited and rated."""

    name = forms.CharField(
        label="Name",
        max_length=70,
        help_text="The projects are called NAME: write, NAME: edit and NAME: rate.",
    )
    writers = _people_field(WRITE, "People who write for each sound")
    least = forms.IntegerField(label=LIMIT_LABELS["least"], min_value=1, max_value=100)
    most = forms.IntegerField(label=LIMIT_LABELS["most"], min_value=1, max_value=100)
    editors = _people_field(EDIT, "People who edit each caption")
    raters = _people_field(RATE, "People who rate the captions of each sound")
    keep = forms.IntegerField(
        label="Captions of a sound that are kept", min_value=1, max_value=100, initial=KEEP
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial=word_limits({}))

    def clean_name(self) -> str:
        """Refuse characters that nobody sees."""
        return visible_name(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        """Refuse limits that do not go together."""
        values = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                word_limits(values)
            except AnswerFault as fault:
                raise ValidationError(str(fault)) from fault
        return values

    @property
    def stages(self) -> list[StageSettings]:
        """What the valid form makes, in the order of the work."""
        values = self.cleaned_data
        limits = {name: values[name] for name in LIMIT_LABELS}
        return [
            StageSettings(WRITE, f"{values['name']}: write", values["writers"], limits),
            StageSettings(EDIT, f"{values['name']}: edit", values["editors"], limits),
            StageSettings(
                RATE, f"{values['name']}: rate", values["raters"], {"keep": values["keep"]}
            ),
        ]


class RefusalForm(SendBackForm):
    """What is done with an answer, and why; ``seen`` is its version that was looked at."""

    act = forms.ChoiceField(
        label="What to do",
        choices=[
            ("refuse", "Refuse it: it does not count, and somebody else is asked"),
            ("send-back", "Send it back: the person who gave it answers again"),
        ],
        widget=forms.RadioSelect,
        initial="refuse",
    )
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    field_order = ["act", "note", "seen"]


class WorkSettingsForm(_WorkFields, ProjectForm):
    """A project that is there."""

    field_order = ["name", "copies", "order", "guidelines"]

    def __init__(self, data: Any = None, *, project: Project) -> None:
        super().__init__(data, project=project)
        self._fit(project.work_kind, project.kind_options)
