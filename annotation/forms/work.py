"""The forms of projects whose work is another than labelling words."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms.projects import ProjectForm, SettingsForm
from annotation.kinds.work_kind import AnswerFault, WorkKind
from annotation.models import Order, Project
from annotation.services.projects import ProjectRules, ProjectSettings, Work

# As many as Clotho has captions of a clip.
PEOPLE = 5
OF_LABELS = ("share", "offered", "settle_own", "suggest", "suggestion_threshold")


class _WorkFields(SettingsForm):
    """Name, people, order, guidelines and what can be set of the kind."""

    kind: WorkKind

    def _fit(self, kind: WorkKind, stored: Mapping[str, Any]) -> None:
        self.kind = kind
        for name in OF_LABELS:
            self.fields.pop(name, None)
        copies, order = self.fields["copies"], self.fields["order"]
        copies.label = "Answers to each"
        copies.help_text = f"How many people work on each of the {kind.items}."
        if isinstance(order, forms.ChoiceField):
            order.choices = [(one.value, one.label) for one in (Order.RANDOM, Order.GIVEN)]
            order.help_text = ""
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
    choices: Mapping[int, str] = getattr(kind, "option_choices", {}).get(name, {})
    if choices:
        return forms.TypedChoiceField(
            label=label, choices=list(choices.items()), coerce=int, initial=value
        )
    return forms.IntegerField(label=label, min_value=1, max_value=100, initial=value)


class NewWorkForm(_WorkFields):
    """A project that is not there yet."""

    def __init__(self, data: Any = None, *, kind: WorkKind) -> None:
        super().__init__(data, initial={"copies": PEOPLE, "order": Order.RANDOM})
        self._fit(kind, kind.options({}))


class WorkSettingsForm(_WorkFields, ProjectForm):
    """A project that is there."""

    field_order = ["name", "copies", "order", "guidelines"]

    def __init__(self, data: Any = None, *, project: Project) -> None:
        super().__init__(data, project=project)
        self._fit(project.work_kind, project.kind_options)
