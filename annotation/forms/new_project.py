"""The form with which a project is made."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.formats.scheme_file import LARGEST, SchemeFileFault, read_scheme
from annotation.forms.choices import offer
from annotation.forms.project_settings import SettingsForm
from annotation.models import Project, Scheme
from leaderboard.forms.uploads import LimitedFileField

OF_PROJECT, EMPTY, OF_FILE = "project-", "empty", "file"


class NewProjectForm(SettingsForm):
    """A project that is not there yet.

    Its labels are a published scheme's, those of another project, of a file, or none yet.
    """

    scheme = forms.ChoiceField(label="Labels")
    scheme_file = LimitedFileField(
        label="File with labels",
        required=False,
        accept=".json,.yaml,.yml",
        limit=lambda: LARGEST,
        advice="Shorten it.",
        help_text="JSON or YAML, as downloaded from the page Labels of a project.",
    )
    field_order = ["name", "scheme"]

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        schemes: list[Scheme],
        projects: Iterable[Project] = (),
    ) -> None:
        super().__init__(data, files)
        self._schemes = {str(scheme.pk): scheme for scheme in schemes}
        self._projects = {f"{OF_PROJECT}{row.pk}": row for row in projects}
        most = max(schemes, key=lambda scheme: len(scheme.names), default=None)
        choices = [
            *((key, str(scheme)) for key, scheme in self._schemes.items()),
            *((key, f"{row.scheme}, of {row}") for key, row in self._projects.items()),
            (OF_FILE, "From a file"),
            (EMPTY, "No labels yet: write them in the browser"),
        ]
        offer(self, "scheme", choices, None if most is None else str(most.pk))
        self._offered = {scheme: f"offered-{scheme.pk}" for scheme in schemes}
        for scheme, name in self._offered.items():
            self.fields[name] = forms.MultipleChoiceField(
                label=f"Offered labels, {scheme.title}",
                required=False,
                widget=forms.CheckboxSelectMultiple,
                choices=[(one.name, one.title) for one in scheme.inventory],
            )

    @property
    def offered_fields(self) -> list[tuple[Scheme, forms.BoundField]]:
        """The labels to choose from, by scheme."""
        return [(scheme, self[name]) for scheme, name in self._offered.items()]

    def clean(self) -> dict[str, Any]:
        """Take the labels chosen of the scheme; refuse those of another rather than forget them."""
        values = super().clean() or self.cleaned_data
        chosen = self._schemes.get(values.get("scheme", ""))
        for scheme, name in self._offered.items():
            if scheme != chosen and values.get(name):
                said = "" if chosen is None else f" of {chosen.title}"
                self.add_error(
                    name,
                    f"The project has the labels{said} chosen above. Choose some of these, or "
                    "none to offer all of them.",
                )
        if chosen is not None:
            values["offered"] = values.get(self._offered[chosen], [])
        if not self.errors:
            values["labels"] = chosen or self._own(values)
        return values

    def _own(self, values: Mapping[str, Any]) -> Scheme | None:
        """Labels that are to be the project's own, which are not stored yet."""
        source, file = values["scheme"], values.get("scheme_file")
        if source in self._projects:
            base = self._projects[source].scheme
            return Scheme(title=base.title, summary=base.summary, labels=base.labels)
        if source == EMPTY:
            return Scheme(title=values["name"], labels=[])
        if file is None:
            self.add_error("scheme_file", "Choose the file with the labels.")
            return None
        try:
            told = read_scheme(file.read())
        except SchemeFileFault as error:
            self.add_error("scheme_file", [ValidationError(fault) for fault in error.faults])
            return None
        labels = [label.to_json() for label in told.labels]
        return Scheme(title=told.title or values["name"], summary=told.summary, labels=labels)
