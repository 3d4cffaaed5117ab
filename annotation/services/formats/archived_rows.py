"""The rows of a project's archive, checked and stored as those of a new project."""

import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction

from annotation.batches import AT_ONCE
from annotation.formats import archived_values as values
from annotation.formats.archived_values import (
    CaptionWords,
    fault_of_column,
    require,
    require_answer,
    row_at,
    told_at,
)
from annotation.formats.offsets import read_tokens
from annotation.formats.project_archive import (
    GONE,
    MEMBERS,
    PEOPLE,
    PROJECT,
    SETTINGS,
    TABLES,
    ArchivedTable,
    objects_of,
    renumbered,
)
from annotation.formats.records import RecordFault, require_text
from annotation.models import (
    Annotation,
    Assignment,
    Import,
    ImportState,
    Item,
    Member,
    PairDraw,
    Project,
    QualificationCaption,
    Revision,
    Role,
    Scheme,
)
from annotation.models.annotation import LONGEST_INVENTORY
from annotation.models.scheme import Label
from annotation.selectors.relabelling import scheme_name
from annotation.services.formats.archive_links import ArchiveLinks
from annotation.services.people import user_without_login
from annotation.services.projects import ProjectAct, Task, slug_for
from annotation.services.schemes import free_slug, own_scheme, published_scheme
from earmark.captions.faults import in_quotes
from leaderboard.models import Phase, ReferenceSet, User
from leaderboard.web.refusals import Refused

_SCALARS: tuple[tuple[Any, type], ...] = (
    (models.BooleanField, bool),
    (models.FloatField, float),
    (models.IntegerField, int),
    (models.CharField, str),
    (models.TextField, str),
)


# By which column a row knows its caption, and of what that is a line.
_CAPTIONS: tuple[tuple[str, type[models.Model]], ...] = (
    ("item", Item),
    ("annotation", Annotation),
    ("caption", QualificationCaption),
)
_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("meta", "content", "value", "kind_options"), partial(require, dict)),
    "counts": values.counts_of,
    "systems": values.systems_of,
    "extra": values.extra_of,
    "taken": values.taken_of,
    "becomes": values.texts_of,
    "mapping": values.mapping_of,
    "report": values.report_of,
    "copies": values.counts_of,
}


class ArchivedRows:
    """Stores the rows of an archive, part after part.

    ``people`` says which account a person of the archive is, by the name there; the others are
    people without a log-in. Where it is refused, the caller's transaction ends.
    """

    def __init__(
        self,
        archive: zipfile.ZipFile,
        head: Mapping[str, Any],
        people: Sequence[tuple[str, User | None]],
        act: ProjectAct,
        links: ArchiveLinks,
    ) -> None:
        self._archive, self._head, self._people, self._act = archive, head, people, act
        self._links = links
        self._users: list[User] = []
        self._made: set[int] = set()
        self._schemes: list[Scheme] = []
        self._keys: dict[type[models.Model], list[int | None]] = {}
        # Items, qualification captions, and the items of answers.
        self._captions: dict[type[models.Model], list[Any]] = defaultdict(list)
        self._assignments: list[Assignment] = []
        self._copies: list[Mapping[str, int]] = []
        self._names: frozenset[str] = frozenset()
        self._inventories: dict[str, str] = {}
        self.project = Project()

    def store(self) -> Project:
        """Make the project of what the archive has; recordings apart."""
        settings = self._head.get("settings")
        with told_at(PROJECT, 1):
            name = " ".join(str(require(dict, settings)["name"]).split())
            if not name.isprintable():
                raise RecordFault("The name has an invisible character. Remove it.")
        self.project = Project(slug=slug_for(name), owner=self._act.actor)
        for name, account in self._people:
            user = account or user_without_login(self.project, name)
            if account is None:
                self._made.add(user.pk)
            self._users.append(user)
        for table in TABLES:
            if table.model is Scheme:
                self._store_schemes(table)
                self._store_project(settings)
                self._store_members()
            else:
                self._store_rows(table)
        self._note_copies()
        return self.project

    def _store_schemes(self, table: ArchivedTable) -> None:
        slug = free_slug(self.project)
        for number, row in enumerate(objects_of(self._archive, table.part), 1):
            with told_at(table.part, number):
                made = self._instance(table, row)
                known = published_scheme(made) if made.published else None
                before = scheme_name(made)
                if known is None:
                    made = own_scheme(made, slug)
                self._schemes.append(known or made)
                self._inventories[before[:LONGEST_INVENTORY]] = scheme_name(known or made)
        self._names = frozenset(name for scheme in self._schemes for name in scheme.names)

    def _store_project(self, settings: Any) -> None:
        with told_at(PROJECT, 1):
            stored = self._instance(SETTINGS, settings)
            stored.slug, stored.owner = self.project.slug, self.project.owner
            stored.source = self._links.source
            stored.kind_options = dict(stored.work_kind.options(stored.kind_options))
            every = stored.test_every
            if every is not None and not 2 <= every <= 1000:
                raise RecordFault("Test captions may be one in 2 to 1,000 captions.", value=every)
            stored.full_clean()
            stored.save(force_insert=True)
            self.project = stored

    def _store_members(self) -> None:
        rows = zip(objects_of(self._archive, PEOPLE), self._people, self._users, strict=True)
        for number, (row, (name, _), user) in enumerate(rows, 1):
            with told_at(PEOPLE, number):
                member = Member(name=name, joined_at=self._act.now)
                if "member" in row:
                    member = self._instance(MEMBERS, row["member"])
                member.project, member.user = self.project, user
                if user.pk in self._made:
                    member.role = Role.ANNOTATOR
                joined = member.joined_at
                member.save(force_insert=True)
                Member.objects.filter(pk=member.pk).update(joined_at=joined)

    def _store_rows(self, table: ArchivedTable) -> None:
        keys = self._keys.setdefault(table.model, [])
        batch: list[models.Model | None] = []
        for number, row in enumerate(objects_of(self._archive, table.part), 1):
            with told_at(table.part, number):
                batch.append(self._fitted(self._instance(table, row), row))
            if len(batch) >= AT_ONCE:
                keys += _kept(table, batch)
                batch = []
        keys += _kept(table, batch)

    def _instance(self, table: ArchivedTable, row: Any) -> Any:
        """A row of a table that is not stored yet."""
        made = table.model()
        for name in table.columns:
            column = table.model._meta.get_field(name)
            if name not in require(dict, row):
                raise RecordFault(
                    f"{in_quotes(name)} is missing.", fix="Download the archive again."
                )
            try:
                value = self._value(column, row[name], row)
            except RecordFault as fault:
                raise fault_of_column(name, fault) from fault
            setattr(made, getattr(column, "attname", name), value)
        return made

    def _value(self, column: Any, value: Any, row: Mapping[str, Any]) -> Any:
        if value is None and column.null:
            return None
        if column.related_model in (Phase, ReferenceSet):
            return self._links.key(column.related_model, require(int, value))
        if isinstance(column, models.ForeignKey):
            return self._key(column.related_model, require(int, value))
        if isinstance(column, models.DateTimeField):
            return values.moment_of(value)
        if isinstance(column, models.JSONField):
            return self._json(column, value, row)
        kind = next(kind for known, kind in _SCALARS if isinstance(column, known))
        try:
            return column.clean(require(kind, value), None)
        except ValidationError as error:
            raise RecordFault(" ".join(error.messages), value=value) from error

    def _json(self, column: Any, value: Any, row: Mapping[str, Any]) -> Any:
        """A value that is a list or an object, as this project has it."""
        result: Any
        match column.name:
            case "tokens":
                has_words = self.project.work_kind.has_labels
                result = read_tokens(value, require_text(row["text"])) if has_words else []
            case "labels" if column.model is Scheme:
                result = [Label.from_json(one).to_json() for one in values.values_of(dict, value)]
            case "labels" | "spans":
                result = getattr(self._caption(column.model, row), column.name)(value)
            case "provenance":
                words = self._caption(column.model, row).provenance(value)
                result = [renumbered(word, self._person, self._answer) for word in words]
            case "offered":
                result = self._offered(value)
            case "chosen":
                result = values.chosen_of(value)
                people = {key: self._person(one) for key, one in result.get("people", {}).items()}
                result["people"] = people
            case "made":
                result = [self._person(one) for one in values.values_of(int, value)]
            case name:
                result = _CHECKS[name](value)
        return result

    def _offered(self, value: Any) -> list[str]:
        names = values.values_of(str, value)
        if unknown := set(names) - self._names:
            raise RecordFault("The scheme has no such label.", value=", ".join(sorted(unknown)))
        return names

    def _caption(self, model: type[models.Model], row: Mapping[str, Any]) -> CaptionWords:
        if model is QualificationCaption:
            tokens = read_tokens(require(list, row["tokens"]), require_text(row["text"]))
            return CaptionWords(tokens, self._names)
        column, of = next(one for one in _CAPTIONS if one[0] in row)
        caption = row_at(self._captions[of], row[column], f"line {row[column]} of the captions")
        return CaptionWords(caption.tokens, self._names)

    def _key(self, model: Any, number: int) -> int | None:
        if model is User:
            return self._person(number)
        if model is Scheme:
            return int(row_at(self._schemes, number, f"version {number} of the labels").pk)
        part = next(table.part for table in TABLES if table.model is model)
        return row_at(self._keys.get(model, []), number, f"line {number} of {part}")

    def _person(self, number: Any) -> int | None:
        if number is None:
            return None
        return int(row_at(self._users, number, f"person {number}").pk)

    def _answer(self, number: Any) -> int:
        return GONE if int(number) == GONE else self._key(Annotation, int(number)) or GONE

    def _fitted(self, made: Any, row: Mapping[str, Any]) -> models.Model | None:
        """A row as this project takes it; None for what only its person could have gone on with."""
        if hasattr(made, "project_id"):
            made.project = self.project
        if hasattr(made, "inventory"):
            made.inventory = self._inventories.get(made.inventory, made.inventory)
        if isinstance(made, Item | QualificationCaption):
            self._fit_caption(made)
        match made:
            case PairDraw():
                self._links.fit(made)
            case Revision():
                require_answer(self._captions[Annotation][row["annotation"] - 1], made)
            case Assignment():
                return self._fitted_assignment(made, row)
            case Annotation():
                self._fit_answer(made, row)
            case Import():
                if made.state == ImportState.WAITING:
                    raise RecordFault(
                        "A file that has not been imported yet cannot be in an archive."
                    )
                self._copies.append(made.copies)
                made.copies = {}
        return cast("models.Model", made)

    def _fit_caption(self, made: Item | QualificationCaption) -> None:
        self._captions[type(made)].append(made)
        if isinstance(made, Item):
            made.content = self.project.work_kind.content(made.content)
            self._links.fit(made)
            made.key = Task(made.text, meta=made.meta).key

    def _fitted_assignment(self, made: Assignment, row: Mapping[str, Any]) -> Assignment | None:
        made.rank = self._captions[Item][row["item"] - 1].rank
        self._assignments.append(made)
        if made.done or made.user_id not in self._made:
            return made
        if made.test:
            return None
        # Nobody is there who could go on with it.
        made.user_id, made.expires_at = None, None
        return made

    def _fit_answer(self, made: Annotation, row: Mapping[str, Any]) -> None:
        item = self._captions[Item][row["item"] - 1]
        self._captions[Annotation].append(item)
        require_answer(item, made)
        if row["assignment"] is not None:
            held = self._assignments[row["assignment"] - 1]
            if (held.item_id, held.user_id) != (made.item_id, made.user_id):
                raise RecordFault("Its assignment is another person's.", value=row["assignment"])

    def _note_copies(self) -> None:
        """Note in imports how many more people they brought captions, which are there now."""
        rows = zip(self._keys[Import], self._copies, strict=True)
        for number, (key, row) in enumerate(rows, 1):
            if key is None:
                continue
            with told_at("imports.jsonl", number):
                counts = {str(self._key(Item, int(line))): more for line, more in row.items()}
            Import.objects.filter(pk=key).update(copies=counts)


def _kept(table: ArchivedTable, batch: Sequence[models.Model | None]) -> list[int | None]:
    """Store rows; returns their keys in order."""
    rows: list[Any] = [row for row in batch if row is not None]
    stored: models.QuerySet[Any] = models.QuerySet(table.model)
    created = [row.created_at for row in rows if isinstance(row, Item)]
    try:
        with transaction.atomic():
            stored.bulk_create(rows)
    except IntegrityError as error:
        raise Refused(
            f"{table.part} has the same row twice. Download the archive again."
        ) from error
    if created:
        # Storing has set it to now.
        for row, moment in zip(rows, created, strict=True):
            row.created_at = moment
        stored.bulk_update(rows, ["created_at"], batch_size=AT_ONCE)
    return [None if row is None else row.pk for row in batch]
