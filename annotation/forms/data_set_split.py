"""The form by which a data set is split."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms.choices import offer, seed_field
from annotation.models.data_set import LONGEST_PART
from annotation.selectors.data_sets.clips import MetaColumn
from annotation.services.data_sets.split_states import SplitRequest
from scoring.captions.faults import count_of
from scoring.datasets.splitting import SIMILARITY, read_parts

USUAL = "development=.6,validation=.2,evaluation=.2"


class SplitForm(forms.Form):
    """Parts, seed and what stays together; ``published`` names parts that were published."""

    parts = forms.CharField(
        label="Parts and their shares",
        max_length=500,
        initial=USUAL,
        help_text="Write NAME=SHARE, separated by commas. The shares must add up to 1. The largest "
        "part is for training models, so rare words are put into it.",
    )
    seed = seed_field(0, "The same captions, options and seed give the same parts.")
    columns = forms.MultipleChoiceField(
        label="Clips with the same value stay together",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    similarity = forms.DecimalField(
        label="Keep clips together if their captions have a similarity of at least",
        required=False,
        min_value=0,
        max_value=1,
        initial=str(float(SIMILARITY)),
        help_text="The share of words that two captions have in common, above 0 and up to 1. If "
        "empty, captions are not compared.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    sure = forms.BooleanField(label="Split again anyway", required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        columns: Sequence[MetaColumn],
        published: Sequence[str],
        asked: SplitRequest | None = None,
    ) -> None:
        initial: dict[str, Any] = {"columns": [column.name for column in columns if column.usual]}
        if asked is not None:
            initial |= {"parts": asked.parts, "seed": asked.seed, "columns": list(asked.columns)}
            initial["similarity"] = asked.similarity
        super().__init__(data, initial=initial)
        self._published = published
        offer(self, "columns", [(column.name, _said(column)) for column in columns])
        if not columns:
            del self.fields["columns"]
        if not published:
            del self.fields["sure"]

    def clean_parts(self) -> str:
        """Refuse parts that cannot be; every fault is told."""
        text = str(self.cleaned_data["parts"])
        read = read_parts(text)
        faults = [f"{fault.value}: {fault.message}" for fault in read.faults]
        faults += [
            f"{part.name}: The name of a part has at most {LONGEST_PART} characters. Shorten it."
            for part in read.parts
            if len(part.name) > LONGEST_PART
        ]
        if faults:
            raise ValidationError([ValidationError(fault.removeprefix(": ")) for fault in faults])
        return text

    def clean_similarity(self) -> str:
        """The similarity as text, "" for none; 0 would keep all clips together."""
        value = self.cleaned_data["similarity"]
        if value is not None and not Fraction(value):
            raise ValidationError(
                "0 would keep all clips together. Enter more than 0, or leave the field empty."
            )
        return "" if value is None else str(value)

    def clean(self) -> dict[str, Any]:
        """Ask first where a part of the split was published."""
        values = super().clean() or self.cleaned_data
        if self._published and not values.get("sure"):
            names = ", ".join(self._published)
            self.add_error(
                "sure",
                f"Already published: {names}. The published references stay as they are and may "
                "overlap with the new parts. Tick the box to split again anyway.",
            )
        return values

    @property
    def request(self) -> SplitRequest:
        """What the valid form asks for."""
        values = self.cleaned_data
        return SplitRequest(
            values["parts"],
            values["seed"],
            tuple(values.get("columns", ())),
            values["similarity"],
        )


def _said(column: MetaColumn) -> str:
    return f"{column.name} ({count_of(column.sharing, 'clip')} share theirs with others)"
