"""Forms for rescoring a phase, from the options of each family, and for the labeller in use."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import Parameter
from pathlib import PurePath
from typing import Any

from django import forms

from earmark.chosen_metrics import ABOVE_NOUGHT, AT_MOST_ONE
from earmark.errors import ScoringError
from earmark.registry import FAMILIES
from leaderboard.models import Phase, Rescoring
from leaderboard.scorer import family_defaults, family_options, family_parameters
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.labellers.files import unkept
from leaderboard.selectors.labellers.listing import kept_labellers

SHIPPED = "the one that comes with the site"


@dataclass(frozen=True, slots=True)
class FamilyFields:
    """A metric family as the form offers it: whether to rescore it, and its parameters."""

    name: str
    label: str
    chosen: forms.BoundField
    fields: tuple[forms.BoundField, ...]

    @property
    def open(self) -> bool:
        """Whether its parameters are to be looked at."""
        return bool(self.chosen.value()) or any(field.errors for field in self.fields)


class RescoringForm(forms.Form):
    """Families, their parameters with the present values, and why.

    Models are chosen among those that the phase has used: no page takes a path.
    """

    reason = forms.CharField(
        max_length=300,
        help_text="Kept in the audit log and in the history below.",
        error_messages={"required": "Say why the phase is rescored."},
    )

    def __init__(self, *args: Any, phase: Phase, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phase = phase
        self.missing: list[str] = []
        self._options: dict[str, list[str]] = {}
        for name in phase.families:
            try:
                self._add(name)
            except (ScoringError, ImportError):
                self.missing.append(family_label(name))

    def _add(self, name: str) -> None:
        present = family_defaults(name) | self.phase.parameters.get(name, {})
        fields = {
            key: field
            for key, option in family_options(name).items()
            if (field := self._field(name, option, present[key]))
        }
        self.fields[name] = forms.BooleanField(required=False, label=family_label(name))
        self._options[name] = list(fields)
        for key, field in fields.items():
            self.fields[f"{name}__{key}"] = field

    def _field(self, name: str, option: Parameter, present: Any) -> forms.Field | None:
        if option.name in FAMILIES[name].labeller_options:
            return _labellers(str(present), self._used(name, option.name))
        return _field(name, option, present, self._used(name, option.name))

    def _used(self, name: str, key: str) -> Iterator[str]:
        """Models that the phase has used for a parameter."""
        rows = Rescoring.objects.filter(phase=self.phase).values_list("parameters", flat=True)
        for parameters in rows:
            value = parameters.get(name, {}).get(key)
            if isinstance(value, str):
                yield value

    @property
    def families(self) -> tuple[FamilyFields, ...]:
        """Lay the families out, each with its parameters."""
        return tuple(
            FamilyFields(
                name,
                family_label(name),
                self[name],
                tuple(self[f"{name}__{key}"] for key in keys),
            )
            for name, keys in self._options.items()
        )

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The chosen families with their values."""
        return {name: self._values(name) for name in self._options if self.cleaned_data.get(name)}

    def _values(self, name: str) -> dict[str, Any]:
        """Values of a family; those that the form does not ask for are the phase's."""
        written = {key: self.cleaned_data[f"{name}__{key}"] for key in self._options[name]}
        return {**self.phase.parameters.get(name, {}), **written}

    def clean(self) -> dict[str, Any]:
        """Ask the scorer whether it takes the values, family by family."""
        chosen = [name for name in self._options if self.cleaned_data.get(name)]
        if not chosen:
            self.add_error(None, "Choose at least one metric to compute again.")
        for name, keys in self._options.items():
            written = [f"{name}__{key}" for key in keys]
            if name not in chosen:
                # Parameters of a metric that is not chosen do not matter.
                for field in written:
                    self.errors.pop(field, None)
            elif not any(field in self.errors for field in written):
                try:
                    family_parameters(name, self._values(name))
                except (ScoringError, ImportError) as error:
                    self.add_error(name, str(error))
        return self.cleaned_data


def _field(name: str, option: Parameter, present: Any, used: Iterator[str]) -> forms.Field | None:
    """Make the field of one parameter; None where there is nothing to choose."""
    label = option.name.replace("_", " ").capitalize()
    default = f"{option.default:g}" if isinstance(option.default, float) else option.default
    usual = f"Default: {default}." if default != "" else ""
    common: dict[str, Any] = {"label": label, "initial": present, "help_text": usual}
    # What a family's own default is need not be typed again.
    if option.annotation is float:
        most = 1 if option.name.endswith(AT_MOST_ONE) else None
        return _NumberField(above=option.name in ABOVE_NOUGHT, max_value=most, **common)
    if option.annotation is int:
        return forms.IntegerField(**common)
    choices = FAMILIES[name].choices(option.name)
    if choices:
        return forms.ChoiceField(choices=[(value, value) for value in choices], **common)
    if option.annotation is not str:
        return None
    models = dict.fromkeys([str(present), str(option.default), *used])
    if len(models) == 1:
        return None
    pairs = [(value, PurePath(value).name or SHIPPED) for value in models]
    return forms.ChoiceField(required=False, choices=pairs, **{**common, "help_text": ""})


def _labellers(present: str, used: Iterator[str]) -> forms.Field | None:
    """The field of labellers: those of the site, and those that the phase has used."""
    named = {path: identity for identity, path in unkept().items()}
    pairs = {
        row.identity: f"{row.identity}, {SHIPPED if row.shipped else row.name}"
        for row in kept_labellers()
    }
    present = named.get(present, present)
    for value in (present, *(named.get(path, path) for path in used)):
        # What is no name was set on the server, where the path was known already.
        pairs.setdefault(value, PurePath(value).name)
    if len(pairs) == 1:
        return None
    return forms.ChoiceField(
        label="Labeller", required=False, initial=present, choices=list(pairs.items())
    )


class _NumberField(forms.FloatField):
    """A number from 0 up, or above it."""

    def __init__(self, *, above: bool, **kwargs: Any) -> None:
        super().__init__(min_value=0, widget=forms.NumberInput(attrs={"step": "any"}), **kwargs)
        self.above = above

    def validate(self, value: Any) -> None:
        """Refuse nought where it makes no sense."""
        super().validate(value)
        if self.above and value == 0:
            raise forms.ValidationError("Give a number above 0.")


class LabellerUseForm(forms.Form):
    """Why a labeller is put to use.

    ``seen`` is the labeller that was in use when the page was loaded; the page fills it in.
    """

    reason = forms.CharField(
        max_length=300,
        help_text="Kept with the history of labellers and in the audit log.",
        error_messages={"required": "Say why this labeller is put into use."},
    )
    seen = forms.CharField(widget=forms.HiddenInput, max_length=80)
