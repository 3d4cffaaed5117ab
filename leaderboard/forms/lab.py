"""The form of the ranking lab: which rules to try."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.forms import BoundField

from earmark.captions.clip_names import ClipNames
from earmark.metrics.composite.formula import FormulaUnusable, Term, read_formula
from leaderboard.forms.phases import COUNTING, metric_choices
from leaderboard.models import Counting, Phase
from leaderboard.selectors.lab.query import (
    LONGEST_QUERY,
    MIXES,
    MOST_DECIMALS,
    MOST_METRICS,
    MOST_WEIGHT,
    LabQuery,
)
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.form_choices import offer

_LISTED = 5  # names that a message lists


@dataclass(frozen=True)
class LabChoices:
    """What a form offers to leave out: systems, whose teams are offered as well, and clips."""

    lines: Sequence[RankedRow]
    clips: Sequence[str]

    @cached_property
    def teams(self) -> dict[str, str]:
        """The names of the teams by slug, in the order of names."""
        names = {line.team_slug: line.team_name for line in self.lines}
        return dict(sorted(names.items(), key=lambda item: (item[1].casefold(), item[0])))

    @cached_property
    def systems(self) -> dict[str, str]:
        """The names of the systems by id, with those of their teams."""
        return {line.public_id: f"{line.system_name}, {line.team_name}" for line in self.lines}


class LabForm(forms.Form):
    """The rules; what is valid becomes a ``LabQuery``."""

    mix = forms.ChoiceField(
        label="Mix several metrics by",
        choices=list(MIXES.items()),
        help_text="A weighted mean over the metrics. Systems that are left out do not count.",
    )
    precision = forms.IntegerField(label="Decimals", min_value=0, max_value=MOST_DECIMALS)
    counting = forms.ChoiceField(
        label="Which submission counts",
        choices=[(rule.value, text) for rule, text in COUNTING.items()],
    )
    baselines = forms.BooleanField(label="Baselines compete", required=False)
    teams = forms.MultipleChoiceField(
        label="Teams", required=False, widget=forms.CheckboxSelectMultiple
    )
    systems = forms.MultipleChoiceField(
        label="Systems", required=False, widget=forms.CheckboxSelectMultiple
    )
    clips = forms.CharField(
        label="Clips",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
        help_text="Their file names, one per line.",
    )
    telling = forms.IntegerField(
        label="Most telling clips",
        required=False,
        min_value=0,
        help_text="How many to leave out: those on which the systems differ most clearly.",
    )

    def __init__(
        self, data: Any = None, *, phase: Phase, rules: LabQuery, offered: LabChoices
    ) -> None:
        super().__init__(data, initial=_initial(rules, offered))
        self.phase, self.offered = phase, offered
        choices = metric_choices(metrics=phase.computed)
        for at in range(MOST_METRICS):
            first = at == 0
            self.fields[f"metric_{at}"] = forms.ChoiceField(
                label="Metric" if first else f"Metric {at + 1}",
                choices=choices if first else [("", "none"), *choices],
                required=first,
            )
            self.fields[f"weight_{at}"] = forms.FloatField(
                label="Weight" if first else f"Weight {at + 1}",
                required=False,
                max_value=MOST_WEIGHT,
                widget=forms.NumberInput(attrs={"step": "any", "min": "0"}),
            )
        offer(self, "teams", offered.teams.items())
        offer(self, "systems", offered.systems.items())

    @property
    def pairs(self) -> list[tuple[BoundField, BoundField]]:
        """The fields of the metrics, each with that of its weight."""
        return [(self[f"metric_{at}"], self[f"weight_{at}"]) for at in range(MOST_METRICS)]

    def clean_clips(self) -> frozenset[int]:
        """The numbers of the named clips, from 1."""
        names = ClipNames(self.offered.clips)
        lines = [line.strip() for line in self.cleaned_data["clips"].splitlines()]
        positions = {line: names.find(line) for line in lines if line}
        unknown = [line for line, at in positions.items() if at is None]
        if unknown:
            more = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
            listed = ", ".join(unknown[:_LISTED])
            raise forms.ValidationError(f"This phase has no clip of the name {listed}{more}.")
        return frozenset(at + 1 for at in positions.values() if at is not None)

    def clean(self) -> dict[str, Any]:
        """Pair the metrics with their weights, and check that the query fits into an address."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        weights: dict[str, float] = {}
        for at in range(MOST_METRICS):
            name, weight = values.get(f"metric_{at}"), values.get(f"weight_{at}")
            if not name:
                continue
            if name in weights:
                self.add_error(f"metric_{at}", "This metric is named above. Choose another.")
            if weight is not None and weight <= 0:
                self.add_error(f"weight_{at}", "Write a weight above 0.")
            weights[name] = 1.0 if weight is None else weight
        values["weights"] = tuple(weights.items())
        if not self.errors and len(self.rules.query(self.phase)) > LONGEST_QUERY:
            self.add_error(None, "These rules are too long for an address. Leave out fewer.")
        return values

    @property
    def rules(self) -> LabQuery:
        """The valid form's rules; a single metric has no weight."""
        values = self.cleaned_data
        weights = values["weights"]
        return LabQuery(
            weights=weights if len(weights) > 1 else ((weights[0][0], 1.0),),
            precision=values["precision"],
            counting=Counting(values["counting"]),
            mix=values["mix"],
            teams=frozenset(values["teams"]),
            systems=frozenset(values["systems"]),
            clips=values["clips"],
            telling=values["telling"] or 0,
            baselines=values["baselines"],
        )


class CompositeForm(forms.Form):
    """A mix of the lab that is to rank: its formula, its decimals, and why."""

    formula = forms.CharField(max_length=1_000, widget=forms.HiddenInput)
    precision = forms.IntegerField(min_value=0, max_value=MOST_DECIMALS, widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=300,
        label="Reason",
        help_text="Kept in the audit log and in the history of rescorings.",
        error_messages={"required": "Say why the phase should rank by it."},
    )

    def clean_formula(self) -> tuple[Term, ...]:
        """The terms of the formula."""
        try:
            return read_formula(self.cleaned_data["formula"])
        except FormulaUnusable as error:
            raise forms.ValidationError(str(error)) from error


def _initial(rules: LabQuery, offered: LabChoices) -> dict[str, Any]:
    names = [offered.clips[at - 1] for at in sorted(rules.clips) if at <= len(offered.clips)]
    initial: dict[str, Any] = {
        "mix": rules.mix,
        "precision": rules.precision,
        "counting": rules.counting.value,
        "baselines": rules.baselines,
        "teams": sorted(rules.teams),
        "systems": sorted(rules.systems),
        "clips": "\n".join(names),
        "telling": rules.telling or None,
    }
    for at, (name, weight) in enumerate(rules.weights):
        initial |= {f"metric_{at}": name, f"weight_{at}": f"{weight:g}"}
    return initial
