"""The forms with which projects are made and changed."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Order, Project, Role, Scheme
from annotation.services.managing import Settings
from annotation.services.projects import Rules
from leaderboard.models import User

MOST_GUIDELINES = 50_000


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
        help_text="Most uncertain first: those of which the labeller is least sure.",
    )
    guidelines = forms.CharField(
        label="Guidelines",
        required=False,
        max_length=MOST_GUIDELINES,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown. The labels with their own guidelines are shown below it.",
    )

    def clean_name(self) -> str:
        """Refuse characters that nobody sees."""
        name = " ".join(str(self.cleaned_data["name"]).split())
        if not name.isprintable():
            raise ValidationError("The name holds an invisible character. Type it anew.")
        return name

    @property
    def settings(self) -> Settings:
        """The valid form's values."""
        values = self.cleaned_data
        rules = Rules(
            guidelines=values["guidelines"],
            order=Order(values["order"]),
            copies=values["copies"],
            share=values["share"] / 100,
            offered=tuple(values.get("offered", ())),
        )
        return Settings(values["name"], rules)


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


class ProjectForm(SettingsForm):
    """A project that is there: its labels can be restricted, not exchanged."""

    offered = forms.MultipleChoiceField(
        label="Labels that are offered",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: all.",
    )
    field_order = ["name", "copies", "share", "order", "offered", "guidelines"]

    def __init__(self, data: Any = None, *, project: Project) -> None:
        initial = {
            "name": project.name,
            "copies": project.copies,
            "share": round(project.share * 100),
            "order": project.order,
            "guidelines": project.guidelines,
            "offered": project.offered,
        }
        super().__init__(data, initial=initial)
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
