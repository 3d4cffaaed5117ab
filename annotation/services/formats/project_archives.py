"""A whole project as one zip, made piece by piece, with what it says of things outside."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain
from typing import Any

from django.conf import settings
from django.db import connection, models

from annotation.batches import AT_ONCE
from annotation.formats.project_archive import (
    FORMAT,
    GONE,
    MEMBERS,
    PEOPLE,
    PROJECT,
    SETTINGS,
    SOUNDS,
    TABLES,
    ArchivedTable,
    line_of,
    renumbered,
)
from annotation.formats.zip_pipe import SentZip, pieces_of_file
from annotation.free_names import first_free
from annotation.kinds.judge import order_for
from annotation.kinds.names import JUDGE
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    EarlierHand,
    Gold,
    GuidelinesVersion,
    Import,
    ImportState,
    Invitation,
    Item,
    PairDraw,
    PastGold,
    Project,
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
    Revision,
    Scheme,
    SendBack,
    TrainingRun,
)
from annotation.models.annotation import SHOWN_FIRST
from annotation.selectors.formats import PIECE
from annotation.selectors.judging.votes import REFERENCES, phase_of, system_names
from annotation.selectors.projects import worker_names
from annotation.selectors.schemes import scheme_versions
from annotation.selectors.stages.chain import earlier_stages, hands_to_note
from leaderboard.models import Phase, ReferenceSet, User
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.services.backups.tables import snapshot
from leaderboard.web.file_responses import Download

# So much of the text is held in memory; what is more lies on disk.
_IN_MEMORY = 2_000_000


def number_of(keys: Iterable[int]) -> dict[int, int]:
    """The numbers of keys in their order, from 1."""
    return {key: number for number, key in enumerate(keys, 1)}


def answer_numbers(item: Mapping[str, Any]) -> list[int]:
    """The answers of earlier stages that the content of an item is of."""
    rows = [item, *item.get("captions", ())] if "facet" not in item else []
    numbers = [number for row in rows for number in row.get("annotations", ())]
    return [*numbers, *(row["annotation"] for row in rows if "annotation" in row)]


class ArchivedOutside:
    """Names what is outside a project, and writes the values that depend on it.

    ``named``: the reader may have a phase's references and the names of its systems.
    """

    def __init__(self, project: Project, *, named: bool) -> None:
        self._project, self._phase = project, phase_of(project)
        self._named = named and self._phase is not None
        self._systems = system_names(project, self._phase, named=named)
        items = Item.with_removed.filter(project=project, reference_set__isnull=False)
        keys = items.order_by("reference_set").values_list("reference_set", flat=True).distinct()
        self.reference_sets = [key for key in keys if key is not None]

    @property
    def phases(self) -> list[Phase]:
        """The phase whose captions are judged; none of other work."""
        return [] if self._phase is None else [self._phase]

    def head(self) -> dict[str, Any]:
        """What ``project.json`` says of it."""
        hashes = ReferenceSet.objects.in_bulk(self.reference_sets)
        return {
            "references": [hashes[key].content_hash for key in self.reference_sets],
            "phases": [
                {
                    "challenge": phase.challenge.slug,
                    "phase": phase.slug,
                    "name": str(phase),
                    "references": phase.reference_set.content_hash if phase.reference_set else "",
                }
                for phase in self.phases
            ],
            "source": self._source(),
        }

    def _source(self) -> dict[str, Any] | None:
        """The stages before, the nearest first, and where in them each answer is that is named.

        An answer is known by its place among those of its stage, which is the same in a project
        that was made of that stage's archive.
        """
        stages = earlier_stages(self._project)
        if not stages:
            return None
        contents = Item.with_removed.filter(project=self._project).values_list("content", flat=True)
        named = {number for content in contents for number in answer_numbers(content)}
        places = {
            pk: [at, number]
            for at, stage in enumerate(stages)
            for pk, number in number_of(
                Annotation.with_removed.filter(item__project=stage)
                .order_by("pk")
                .values_list("pk", flat=True)
            ).items()
            if pk in named
        }
        return {
            "name": stages[0].name,
            "kinds": [stage.kind for stage in stages],
            "answers": {str(pk): place for pk, place in places.items()},
        }

    def value(self, row: models.Model, column: str, value: Any) -> Any:
        """A value of a row as it is archived."""
        match row:
            case PairDraw() if column == "systems":
                keys = [one["id"] if isinstance(one, dict) else one for one in value]
                return [{"id": key, "name": self._systems.get(key, "")} for key in keys]
            case Annotation() if self._project.kind == JUDGE:
                return {SHOWN_FIRST: order_for(row.item, row.user_id)[0], **value}
            case Item() if self._named and self._project.kind == JUDGE:
                return {**value, **self._references_of(row)}
        return value

    def _references_of(self, row: Item) -> dict[str, Any]:
        """The references of the clip of a pair, where its phase still has them."""
        stored = None if self._phase is None else self._phase.reference_set
        if stored is None or row.clip is None or row.reference_set_id != stored.pk:
            return {}
        clip = references_of(stored.content_hash).clips[row.clip]
        return {REFERENCES: list(clip.references)}


def project_archive_download(project: Project, *, named: bool = False) -> Download:
    """A project as a file to be sent: settings, captions, all that people did, recordings.

    The text is of one moment, and read before anything is sent. The same project gives the same
    bytes. Who may log in is no part of it.

    ``named``: of pairs of a phase the reader may have its references and the names of its systems.
    Others get made-up names, as on the page of results.
    """
    return Download(f"{project.slug}.project.zip", "application/zip", _pieces(project, named))


def _pieces(project: Project, named: bool) -> Iterator[bytes]:
    archive = SentZip()
    spool = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
    # Within a transaction of the caller's the moment is that one's own.
    with nullcontext() if connection.in_atomic_block else snapshot():
        for part, rows in _Archive(project, named).parts():
            for piece in archive.member(part, map(line_of, rows)):
                spool.write(piece)
        digests = sorted(set(project.sounds.values_list("sha256", flat=True)))
    spool.seek(0)
    return _sent(spool, digests, archive)


def _sent(
    spool: tempfile.SpooledTemporaryFile[bytes], digests: list[str], archive: SentZip
) -> Iterator[bytes]:
    with spool:
        while piece := spool.read(PIECE):
            yield piece
    for sha256 in digests:
        content = pieces_of_file(audio_path(sha256))
        yield from archive.member(f"{SOUNDS}{sha256}", content, packed=False)
    yield archive.end()


class _Archive:
    """The rows of a project's archive, which refer to each other by their numbers."""

    def __init__(self, project: Project, named: bool) -> None:
        self._project = project
        self._outside = ArchivedOutside(project, named=named)
        # Of what is outside the project, as its head lists it.
        self._lines: dict[type[models.Model], dict[int, int]] = {
            ReferenceSet: number_of(self._outside.reference_sets),
            Phase: number_of([phase.pk for phase in self._outside.phases]),
        }
        members = project.members.select_related("user").order_by("joined_at", "pk")
        self._members = list(members)
        # Files name captions that come only after them.
        every = Item.with_removed.filter(project=project)
        items = every.order_by("position").values_list("pk", flat=True)
        self._items = number_of(items)
        self._names = {row.user_id: row.name for row in self._members}
        self._workers = worker_names(project)
        self._people = {row.user_id: number for number, row in enumerate(self._members, 1)}

    def parts(self) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
        """The parts in their order, each with its rows; who is who comes last."""
        for table in TABLES:
            yield table.part, self._rows(table)
        # Members as they joined, then those who did something and are no members.
        members = ({"member": self._row(MEMBERS, member)} for member in self._members)
        others = list(self._people)[len(self._members) :]
        yield PEOPLE, [*members, *({"name": self._names[user]} for user in others)]
        yield PROJECT, [self._head()]

    def _head(self) -> dict[str, Any]:
        sounds = self._project.sounds.order_by("file_name")
        left_out = {
            "invitations": Invitation.objects.filter(project=self._project).count(),
            "trainings": TrainingRun.objects.filter(project=self._project).count(),
        }
        return {
            "format": FORMAT,
            "settings": self._row(SETTINGS, self._project),
            "sounds": dict(sounds.values_list("file_name", "sha256")),
            "left_out": left_out,
            **self._outside.head(),
        }

    def _rows(self, table: ArchivedTable) -> Iterator[dict[str, Any]]:
        lines = self._lines.setdefault(table.model, {})
        for number, row in enumerate(_stored(self._project, table.model), 1):
            lines[row.pk] = number
            yield self._row(table, row)

    def _row(self, table: ArchivedTable, row: models.Model) -> dict[str, Any]:
        return {column: self._value(row, column) for column in table.columns}

    def _value(self, row: models.Model, column: str) -> Any:
        column_field = row._meta.get_field(column)
        if isinstance(column_field, models.ForeignKey):
            key = getattr(row, column_field.attname)
            related = column_field.related_model
            return self._person(key) if related is User else self._lines[related].get(key)
        value = getattr(row, column)
        if isinstance(column_field, models.DateTimeField):
            return value and value.isoformat()
        return self._json(row, column, value)

    def _json(self, row: models.Model, column: str, value: Any) -> Any:
        """A value with numbers in the place of keys."""
        match column:
            case "provenance":
                value = [renumbered(word, self._person, self._answer) for word in value]
            case "chosen":
                people = value.get("people", {}).items()
                known = {session: self._person(user) for session, user in people}
                value = {**value, "people": {key: who for key, who in known.items() if who}}
            case "extra" | "systems":
                value = self._outside.value(row, column, value)
            case "copies" if isinstance(row, Import):
                lines = {self._items.get(int(item)): more for item, more in value.items()}
                value = {str(item): more for item, more in lines.items() if item}
            case "made":
                value = [number for user in value if (number := self._person(user))]
        return value

    def _person(self, user: int | None) -> int | None:
        """The number of a person, None for nobody and for who is no longer there."""
        if user is None or user in self._people:
            return user and self._people[user]
        name = User.objects.filter(pk=user).values_list("username", flat=True).first()
        if name is None:
            return None
        # As files call who left.
        taken = {*self._names.values(), "all", "gold"}
        called = self._workers.get(user, name)[:70]
        self._names[user] = first_free(
            called, taken.__contains__, lambda number: f"{called} {number}"
        )
        self._people[user] = len(self._people) + 1
        return self._people[user]

    def _answer(self, key: str | int) -> int:
        return self._lines[Annotation].get(int(key), GONE)


def _stored(project: Project, model: type[models.Model]) -> Iterator[models.Model]:
    """The rows of a project in the order in which they are archived, removed captions' as well."""
    if model is Scheme:
        return iter(scheme_versions(project)[::-1])
    if model is EarlierHand:
        # As noted, and as it would be noted now.
        noted = EarlierHand.objects.filter(item__project=project).order_by("pk")
        met = (EarlierHand(item_id=item, user_id=user) for item, user in hands_to_note(project))
        return chain(noted, met)
    imports = Import.objects.filter(project=project).exclude(state=ImportState.WAITING)
    of_items = {"item__project": project}
    rows: dict[type[models.Model], models.QuerySet[Any]] = {
        Import: imports.defer("content"),
        GuidelinesVersion: project.guidelines_versions.order_by("number"),
        Item: Item.with_removed.filter(project=project).order_by("position"),
        PairDraw: PairDraw.objects.filter(project=project),
        AssignmentRecord: AssignmentRecord.objects.filter(**of_items),
        Assignment: Assignment.with_removed.filter(project=project),
        SendBack: SendBack.objects.filter(project=project),
        Annotation: Annotation.with_removed.filter(**of_items).select_related("item"),
        Revision: Revision.objects.filter(annotation__item__project=project),
        Gold: Gold.with_removed.filter(**of_items).order_by("item__position"),
        PastGold: PastGold.with_removed.filter(**of_items),
        QualificationCaption: project.qualification_captions.all(),
        QualificationTry: QualificationTry.objects.filter(project=project),
        QualificationAnswer: QualificationAnswer.objects.filter(attempt__project=project),
    }
    query = rows[model]
    return (query if model in {GuidelinesVersion, Item, Gold} else query.order_by("pk")).iterator(
        AT_ONCE
    )
