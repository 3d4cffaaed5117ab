"""The forms by which a data set is published and described."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotation.forms.choices import offer
from annotation.models import DataSet
from annotation.services.data_sets.publishing import PublicationChoice
from leaderboard.forms.references import HumanRowForm, SameCaptionsForm
from leaderboard.models import Phase

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

    @property
    def choice(self) -> PublicationChoice:
        """What the valid form asks for."""
        values = self.cleaned_data
        return PublicationChoice(
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

    @classmethod
    def of(cls, data_set: DataSet) -> "ProcedureForm":
        """The form with the text as it is."""
        return cls(initial={"procedure": data_set.procedure})
