"""The form with which a training is started."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotation.forms.choices import seed_field
from annotation.models import Project
from annotation.selectors.training.material import LabelSource, TrainingSelection
from annotation.selectors.training.runs import METHODS, backbones
from annotation.services.training.states import MOST_BATCH, MOST_EPOCHS, TrainingOptions
from leaderboard.web.form_choices import offer

# As identities in signatures have it (``leaderboard.selectors.labellers``).
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_USUAL = TrainingOptions("")
PACKAGED = "all-MiniLM-L6-v2 (packaged)"
HELD_OUT = ((10, "10 %"), (20, "20 %"), (25, "25 %"), (50, "50 %"))
FOLDS = ((0, "None"), (3, "3 folds"), (5, "5 folds"), (10, "10 folds"))


class HelperField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic
    """Projects with what labels they have."""

    def label_from_instance(self, obj: Any) -> str:
        """The text of the choice."""
        return f"{obj.name} ({obj.scheme.title})"


class DataForm(forms.Form):
    """Which labels are learned from."""

    source = forms.ChoiceField(
        label="Labels",
        choices=((LabelSource.GOLD, "What is settled"), (LabelSource.ACCEPTED, "Accepted answers")),
        widget=forms.RadioSelect,
        help_text="With accepted answers, a caption accepted by several people is used once for "
        "each of them.",
    )
    people = forms.MultipleChoiceField(
        label="Whose answers",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="If none is chosen, everyone's answers are used. Settled labels do not belong to "
        "one person.",
    )
    leave_flagged = forms.BooleanField(
        label="Leave out what was flagged", required=False, initial=True
    )
    helpers = HelperField(
        label="Projects that help",
        queryset=Project.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Captions labelled with another inventory help to train the same encoder. They "
        "are used only for training, never for measurement.",
    )

    def __init__(
        self,
        data: Any = None,
        *,
        people: Sequence[tuple[int, str]],
        helpers: QuerySet[Project],
        settled: bool,
    ) -> None:
        first = LabelSource.GOLD if settled else LabelSource.ACCEPTED
        super().__init__(data, initial={"source": first})
        offer(self, "people", [(str(pk), name) for pk, name in people])
        offer(self, "helpers", helpers)

    @property
    def chosen(self) -> TrainingSelection:
        """What the valid form chose."""
        values = self.cleaned_data
        source = LabelSource(values["source"])
        people = tuple(int(pk) for pk in values["people"]) if source == LabelSource.ACCEPTED else ()
        return TrainingSelection(source, people, values["leave_flagged"], tuple(values["helpers"]))

    @property
    def first(self) -> TrainingSelection:
        """What a form that nobody has touched yet stands for."""
        return TrainingSelection(LabelSource(self.initial["source"]))


class OptionsForm(forms.Form):
    """How the training goes."""

    name = forms.CharField(
        label="Name of the labeller",
        max_length=60,
        help_text="Appears in the signature of every score computed with it.",
    )
    method = forms.ChoiceField(label="Method", choices=list(METHODS.items()), initial="lora")
    backbone = forms.ChoiceField(label="Encoder", required=False)
    epochs = forms.IntegerField(
        label="Epochs",
        required=False,
        min_value=1,
        max_value=MOST_EPOCHS,
        help_text="How often each caption is used. If empty, the usual number for the method.",
    )
    rate = forms.FloatField(
        label="Learning rate",
        required=False,
        min_value=1e-7,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="If empty, the usual rate for the method.",
    )
    batch = forms.IntegerField(
        label="Batch size",
        min_value=1,
        max_value=MOST_BATCH,
        initial=_USUAL.batch,
        help_text="Captions processed at once. A smaller number needs less memory.",
    )
    seed = seed_field(_USUAL.seed)
    held_out = forms.TypedChoiceField(
        label="Held out",
        choices=HELD_OUT,
        coerce=int,
        initial=20,
        help_text="These captions are not used for training, but to measure the labeller.",
    )
    folds = forms.TypedChoiceField(
        label="Cross-validation",
        choices=FOLDS,
        coerce=int,
        initial=0,
        help_text="Each fold takes as long as the training itself.",
    )
    curve = forms.BooleanField(
        label="Learning curve: how much more labels would help",
        required=False,
        help_text="Trains again on a quarter, a half and three quarters of the captions; takes "
        "one and a half times as long as the training itself.",
    )
    learn_all = forms.BooleanField(
        label="Finally train on all captions",
        required=False,
        help_text="The figures shown are still those measured before, on held-out captions.",
    )

    def __init__(self, data: Any = None, *, name: str) -> None:
        super().__init__(data, initial={"name": name})
        offer(self, "backbone", [("", PACKAGED), *((name, name) for name in backbones())])

    def clean_name(self) -> str:
        """Refuse what cannot stand in a signature."""
        name = str(self.cleaned_data["name"])
        if not _NAME.fullmatch(name):
            raise ValidationError(
                "Letters a to z, digits, dots, hyphens and underscores only, the first a letter "
                "or a digit."
            )
        return name

    @property
    def options(self) -> TrainingOptions:
        """What the valid form chose."""
        values = dict(self.cleaned_data)
        return TrainingOptions(**values | {"held_out": values["held_out"] / 100})
