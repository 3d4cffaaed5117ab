"""The form with which the settings of a project are changed."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import model_to_dict
from django.http import QueryDict

from annotation.forms.choices import offer
from annotation.models import Order, Project
from annotation.services.project_settings import SETTINGS, SettingsChanged, setting_stamps
from annotation.services.projects import ProjectRules, ProjectSettings

MOST_GUIDELINES = 20_000


def visible_name(name: object) -> str:
    """A name in one line; raises ``ValidationError`` for characters that nobody sees."""
    found = " ".join(str(name).split())
    if not found.isprintable():
        raise ValidationError("The name has an invisible character. Type it again.")
    return found


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
