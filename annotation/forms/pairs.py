"""The form by which pairs of captions are drawn."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms.choices import offer, seed_field
from annotation.forms.sources import PhaseField
from annotation.kinds.judge.drawing import FACETS, facet_counts
from annotation.services.pairs import PairSource
from leaderboard.models import Phase, Submission

MOST_PAIRS = 5000
FACET_TITLES = {
    "HC": "HC: two human captions of the clip",
    "HI": "HI: a human caption of the clip, and one of another clip",
    "HM": "HM: a human and a machine caption",
    "MM": "MM: two machine captions",
}
# How many systems each kind of pair needs.
_NEEDS = {"HM": 1, "MM": 2}
_AT_FIRST = 10


class PairPhaseForm(forms.Form):
    """Which phase pairs are drawn from."""

    phase = PhaseField(label="Phase", queryset=Phase.objects.none(), empty_label="Choose")

    def __init__(self, data: Any = None, *, phases: Any) -> None:
        super().__init__(data)
        offer(self, "phase", phases)


class PairsForm(forms.Form):
    """How many pairs of a phase are drawn, of which kinds and which systems."""

    count = forms.IntegerField(
        label="Pairs",
        min_value=1,
        max_value=MOST_PAIRS,
        initial=200,
        help_text="Divided as in FENSE's benchmark: one pair of each other kind for every five "
        "pairs of two systems.",
    )
    facets = forms.MultipleChoiceField(
        label="What is compared",
        choices=list(FACET_TITLES.items()),
        widget=forms.CheckboxSelectMultiple,
        initial=list(FACETS),
    )
    systems = forms.MultipleChoiceField(
        label="Systems", required=False, widget=forms.CheckboxSelectMultiple
    )
    seed = seed_field(1, "The same seed draws the same pairs.")

    def __init__(self, data: Any = None, *, phase: Phase, systems: Sequence[Submission]) -> None:
        super().__init__(data)
        self._phase, self._systems = phase, {row.public_id: row for row in systems}
        titles = [(row.public_id, f"{row.system_name} ({row.team})") for row in systems]
        offer(self, "systems", titles, [row.public_id for row in systems[:_AT_FIRST]])
        if not systems:
            self.fields["facets"].initial = ["HC", "HI"]

    def clean(self) -> dict[str, Any]:
        """Refuse kinds of pairs for which there are too few systems."""
        values = super().clean() or self.cleaned_data
        chosen = len(values.get("systems", ()))
        for facet in values.get("facets", ()):
            if chosen < (needed := _NEEDS.get(facet, 0)):
                self.add_error(
                    "systems",
                    ValidationError(
                        f"{facet} needs {needed} of them, but you chose {chosen}. Choose more, "
                        f"or leave out {facet}."
                    ),
                )
        return values

    @property
    def source(self) -> PairSource:
        """What the valid form asks for."""
        values = self.cleaned_data
        return PairSource(
            phase=self._phase,
            systems=[self._systems[public_id] for public_id in values["systems"]],
            counts=facet_counts(values["count"], values["facets"]),
            seed=values["seed"],
        )
