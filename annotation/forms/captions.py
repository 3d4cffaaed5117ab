"""The form with which captions of a project are searched."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Project
from annotation.models.gold import LONGEST_NOTE
from annotation.selectors.captions.facts import CaptionState, Mark
from annotation.selectors.captions.matches import (
    CaptionAgreement,
    CaptionOrder,
    CaptionQuery,
    Confidence,
)
from leaderboard.web.form_choices import offer


class SendBackForm(forms.Form):
    """Why answers are sent back."""

    note = forms.CharField(
        label="Why",
        max_length=LONGEST_NOTE,
        error_messages={
            "required": "Give the reason. The people who answered see it above the caption."
        },
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )


class CaptionFilter(forms.Form):
    """Which captions are listed; ``names`` has the people by id, None where they are hidden."""

    text = forms.CharField(label="Text or number", required=False, max_length=200)
    label = forms.ChoiceField(label="Label", required=False)
    person = forms.TypedChoiceField(label="Person", required=False, coerce=int, empty_value=None)
    state = forms.ChoiceField(
        label="State", required=False, choices=[("", "any"), *CaptionState.choices]
    )
    mark = forms.ChoiceField(
        label="Noted", required=False, choices=[("", "anything"), *Mark.choices]
    )
    agreement = forms.ChoiceField(
        label="Agreement", required=False, choices=[("", "any"), *CaptionAgreement.choices]
    )
    confidence = forms.ChoiceField(
        label="Labeller's confidence", required=False, choices=[("", "any"), *Confidence.choices]
    )
    order = forms.ChoiceField(label="Order", required=False, choices=CaptionOrder.choices)

    def __init__(
        self,
        data: Mapping[str, Any],
        *,
        project: Project,
        names: Mapping[int, str] | None,
        suggests: bool,
    ) -> None:
        super().__init__(data)
        labels = [(row.name, row.title) for row in project.scheme.inventory]
        offer(self, "label", [("", "any"), *labels])
        orders = set(CaptionOrder)
        if names is None:
            # Who answered when would tell who answered.
            del self.fields["person"]
            orders.remove(CaptionOrder.CHANGED)
            shown = [row for row in CaptionState.choices if row[0] != CaptionState.REMOVED]
            offer(self, "state", [("", "any"), *shown])
        else:
            people = sorted(names.items(), key=lambda row: row[1].casefold())
            named = [(str(user), name) for user, name in people]
            offer(self, "person", [("", "anyone"), *named])
        if not suggests:
            del self.fields["confidence"]
            orders.remove(CaptionOrder.UNSURE)
        offer(self, "order", [(row, row.label) for row in CaptionOrder if row in orders])

    def clean(self) -> dict[str, Any]:
        """Refuse what the form does not have, which else would match more than was meant."""
        known = {*self.fields, "page"}
        for name in sorted(set(self.data) - known):
            if name in CaptionFilter.base_fields and self.data[name]:
                raise ValidationError(
                    f"Captions of this project cannot be searched by {name}. Remove it from the "
                    "address."
                )
        return dict(self.cleaned_data)

    @property
    def query(self) -> CaptionQuery:
        """What the valid form looks for."""
        values = {name: value for name, value in self.cleaned_data.items() if value}
        return CaptionQuery(**values)

    @property
    def address(self) -> dict[str, str]:
        """What is looked for, as it stands in addresses."""
        return {name: self.data[name] for name in self.fields if self.data.get(name)}
