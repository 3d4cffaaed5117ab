"""What somebody says of a file before it comes in: its labels, its sessions, its people."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet

from annotation.formats.table import TableColumns
from annotation.models import Import, Project
from annotation.selectors.imports import label_rows
from annotation.selectors.schemes import InventoryChoice, newest_schemes
from annotation.services.formats.archive_reading import ArchiveReport
from annotation.services.formats.file_imports import FileChoice
from leaderboard.forms.uploads import LimitedFileField
from leaderboard.models import User
from leaderboard.web.form_choices import offer

BY_INVENTORY = ""
LEAVE_OUT = "-"
AS_FOUND = ""


class ImportForm(forms.Form):
    """The inventory of a file, a field for each label that the project lacks, and for each session.

    A table has fields for its columns too. Labels, sessions and columns hold whatever the
    file has, so fields are named by number.
    """

    map_from = forms.ChoiceField(
        label="Inventory of its labels",
        required=False,
        help_text="Labels of another inventory become what is written or chosen below; annotations "
        "with a label that becomes nothing known are stored but do not count.",
    )

    def __init__(self, data: Any = None, *, record: Import) -> None:
        chosen: dict[str, Any] = record.chosen
        super().__init__(data, initial={"map_from": chosen.get("map_from", "")})
        own = record.project.scheme
        schemes = {own.slug: own} | {row.slug: row for row in newest_schemes()}
        titles = [(slug, scheme.title) for slug, scheme in schemes.items()]
        offer(self, "map_from", [("", "Find out from the labels"), *titles])
        self._labels = self._label_fields(record, chosen.get("table", {}))
        self._sessions = self._session_fields(record, chosen.get("people", {}))
        self._columns: list[str] = record.report.get("columns", [])
        self._column_fields(chosen.get("columns", {}))

    def _label_fields(self, record: Import, table: dict[str, str]) -> dict[str, str]:
        choices = [(BY_INVENTORY, "By its inventory"), (LEAVE_OUT, "Leave out")]
        choices += [(label.name, label.title) for label in record.project.scheme.inventory]
        rows = enumerate(label_rows(record))
        names = {row["name"]: f"label-{n}" for n, row in rows if row["unknown"]}
        for label, name in names.items():
            self.fields[name] = forms.ChoiceField(
                label=f"What {label} becomes",
                required=False,
                choices=choices,
                initial=(table[label] or LEAVE_OUT) if label in table else BY_INVENTORY,
            )
        return names

    def _session_fields(self, record: Import, people: dict[str, int]) -> dict[str, str]:
        report: dict[str, Any] = record.report
        members = [(str(row.user_id), row.name) for row in record.project.members.all()]
        names = {session: f"session-{n}" for n, session in enumerate(report.get("sessions", {}))}
        for session, name in names.items():
            row = report["sessions"][session]
            default = f"{row['name']} (new, no log-in)" if row["made"] else row["name"]
            if session in people:
                default = "The member with the session's name"
            self.fields[name] = forms.ChoiceField(
                label=f"Whose session {session or 'of nobody'} is",
                required=False,
                choices=[(AS_FOUND, default), *members],
                initial=str(people.get(session, AS_FOUND)),
            )
        return names

    def _column_fields(self, chosen: dict[str, str]) -> None:
        """The column with captions, and the one with sound files, of those that a table has."""
        choices = [(str(n), name) for n, name in enumerate(self._columns) if name]
        for name, label, default in (
            ("caption", "Column with captions", "text, caption, or caption_1, caption_2 and so on"),
            ("sound", "Column with sound files", "file_name, if there is such a column"),
        ):
            if choices:
                before = chosen.get(name, "")
                self.fields[f"column-{name}"] = forms.ChoiceField(
                    label=label,
                    required=False,
                    choices=[("", default), *choices],
                    initial=str(self._columns.index(before)) if before in self._columns else "",
                )

    def _column(self, name: str) -> str:
        number = self.cleaned_data.get(f"column-{name}")
        return self._columns[int(number)] if number else ""

    @property
    def column_fields(self) -> list[forms.BoundField]:
        """The fields of the columns of a table."""
        return [self[name] for name in self.fields if name.startswith("column-")]

    @property
    def label_fields(self) -> dict[str, forms.BoundField]:
        """The fields of labels that the project lacks, by label."""
        return {label: self[name] for label, name in self._labels.items()}

    @property
    def session_fields(self) -> dict[str, forms.BoundField]:
        """The fields of sessions, by session."""
        return {session: self[name] for session, name in self._sessions.items()}

    @property
    def choice(self) -> FileChoice:
        """What the valid form says."""
        values = self.cleaned_data
        choices = {label: values[name] for label, name in self._labels.items() if values[name]}
        table = {label: "" if choice == LEAVE_OUT else choice for label, choice in choices.items()}
        ids = {session: values[name] for session, name in self._sessions.items() if values[name]}
        users = User.objects.in_bulk(map(int, ids.values()))
        people = {session: users[int(user)] for session, user in ids.items()}
        columns = TableColumns(self._column("caption"), self._column("sound"))
        return FileChoice(InventoryChoice(values["map_from"], table), people, columns)


class ProjectArchiveForm(forms.Form):
    """A zip with a whole project."""

    file = LimitedFileField(
        label="Archive of a project",
        accept=".zip,application/zip",
        limit=lambda: settings.MAX_AUDIO_BYTES,
        advice="An administrator of this site can change the limit (EARMARK_MAX_AUDIO_BYTES), "
        "or import the archive with import_project.",
        error_messages={"required": "Choose the archive of a project."},
    )


class ArchivedPeopleForm(forms.Form):
    """Which accounts the people of an archive are, and which project feeds it, of ``sources``."""

    source_project = forms.ModelChoiceField(
        label="Fed by",
        queryset=Project.objects.none(),
        required=False,
        empty_label="Nothing",
        help_text="The project that you made from the archive of the feeding project.",
    )

    def __init__(
        self, data: Any = None, *, report: ArchiveReport, own: User, sources: QuerySet[Project]
    ) -> None:
        super().__init__(data)
        offer(self, "source_project", sources)
        if not report.source:
            del self.fields["source_project"]
        self._names = {person["name"]: f"person-{n}" for n, person in enumerate(report.people)}
        for name, field in self._names.items():
            self.fields[field] = forms.CharField(
                label=f"Account of {name}",
                required=False,
                max_length=150,
                initial=own.get_username() if name == own.get_username() else "",
                widget=forms.TextInput(attrs={"placeholder": "No log-in"}),
            )

    @property
    def source(self) -> Project | None:
        """The project that feeds the new one, None for nothing; of the valid form."""
        chosen: Project | None = self.cleaned_data.get("source_project")
        return chosen

    @property
    def person_fields(self) -> dict[str, forms.BoundField]:
        """The fields by the names of people."""
        return {name: self[field] for name, field in self._names.items()}

    def clean(self) -> dict[str, Any]:
        """Find the accounts; one is never two people."""
        values = super().clean() or self.cleaned_data
        usernames = {name: values.get(field) for name, field in self._names.items()}
        users = User.objects.filter(username__in=filter(None, usernames.values()), is_active=True)
        known = {user.username: user for user in users}
        self.people: dict[str, User] = {}
        for name, username in usernames.items():
            if not username:
                continue
            field, user = self._names[name], known.get(username)
            if user is None:
                self.add_error(
                    field, "There is no user with this name. User names are case sensitive."
                )
            elif user in self.people.values():
                self.add_error(
                    field,
                    "You gave this account to somebody above already. Each account can be "
                    "only one person.",
                )
            else:
                self.people[name] = user
        return values
