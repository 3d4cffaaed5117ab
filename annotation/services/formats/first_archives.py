"""Archives of format 1: captions, answers as Prodigy writes them, gold; no history."""

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from django.core.exceptions import ValidationError

from annotation.formats import prodigy
from annotation.formats.offsets import read_spans, read_tokens
from annotation.formats.project_archive import (
    ANSWERS,
    CAPTIONS,
    GOLD,
    PROJECT,
    ProjectArchiveRefused,
    fault_at,
    objects_of,
)
from annotation.formats.records import Record, RecordFault, SkippedLine, moment, require_text
from annotation.models import Gold, Item, Project, Scheme
from annotation.models.scheme import Label
from annotation.services.formats.imports import ImportRules, records_import
from annotation.services.projects import (
    ProjectAct,
    ProjectRules,
    Task,
    items_add,
    project_create,
    slug_for,
)
from annotation.services.schemes import UnsoundScheme, free_slug, own_scheme, published_scheme
from annotation.spans import labels_of_words
from leaderboard.models import User

_UNFIT = (ValueError, TypeError, KeyError, AttributeError)


class FirstArchive:
    """Stores an archive of format 1, as ``ArchivedRows`` stores those of now."""

    def __init__(
        self,
        archive: zipfile.ZipFile,
        head: Mapping[str, Any],
        people: Mapping[str, User],
        act: ProjectAct,
    ) -> None:
        self._archive, self._head, self._accounts, self.act = archive, head, people, act
        self.project = Project()
        self.counts: Counter[str] = Counter()
        self.answers_of: Counter[str] = Counter()
        self.decisions_of: Counter[str] = Counter()
        self.names: list[str] = []

    def store(self) -> Project:
        """Make the project of what the archive has; recordings apart."""
        self.project = self._project()
        places = self._captions_add()
        report = records_import(
            project=self.project,
            records=self._records(),
            now=self.act.now,
            rules=ImportRules(self._accounts),
        )
        if report.left_out:
            raise fault_at(ANSWERS, report.skipped[0])
        for name, work in report.sessions.items():
            self.names.append(name)
            self.answers_of[name] += work.annotations
        self.counts.update(schemes=1, captions=len(places), answers=report.annotations)
        self.counts["guidelines"] = self.project.guidelines_versions.count()
        self.counts["gold"] = self._gold_add(places)
        return self.project

    def _project(self) -> Project:
        try:
            known = {field.name for field in fields(ProjectRules)}
            given = {name: value for name, value in self._head["rules"].items() if name in known}
            name = str(self._head["name"])
            slug = slug_for(name)
            scheme = _scheme(self._head["scheme"], free_slug(Project(slug=slug)))
            rules = ProjectRules(**given)
            made = project_create(slug=slug, name=name, scheme=scheme, manager=None, rules=rules)
        except UnsoundScheme as error:
            raise ProjectArchiveRefused(f"{PROJECT}: {error}") from error
        except ValidationError as error:
            raise ProjectArchiveRefused(f"{PROJECT}: {' '.join(error.messages)}") from error
        except _UNFIT as error:
            raise ProjectArchiveRefused(
                f"{PROJECT} does not fit the archive. Download the archive again."
            ) from error
        made.owner = self.act.actor
        made.save(update_fields=["owner"])
        return made

    def _captions_add(self) -> dict[int, Item]:
        """Add the captions; returns them by their number in the archive."""
        tasks, numbers = [], []
        for row in objects_of(self._archive, CAPTIONS):
            try:
                text = require_text(row["text"])
                meta, extra = dict(row["meta"]), dict(row["extra"])
                tasks.append(Task(text, read_tokens(row["tokens"], text), meta, extra))
                numbers.append(int(row["id"]))
            except (RecordFault, *_UNFIT) as error:
                raise ProjectArchiveRefused(
                    f"{CAPTIONS}, caption {len(tasks) + 1}: {error}"
                ) from error
        items = items_add(project=self.project, tasks=tasks)
        if len(items) != len(numbers):
            raise ProjectArchiveRefused(
                f"{CAPTIONS} has a caption twice. Download the archive again."
            )
        return dict(zip(numbers, items, strict=True))

    def _records(self) -> Iterator[Record | SkippedLine]:
        for number, row in enumerate(objects_of(self._archive, ANSWERS), 1):
            try:
                record = prodigy.read_line(str(row["record"]), number)
                yield replace(record, person=str(row["annotator"]))
            except RecordFault as fault:
                yield SkippedLine.because(number, fault)
            except KeyError as error:
                raise ProjectArchiveRefused(
                    f"{ANSWERS}, line {number}: {error} is missing."
                ) from error

    def _gold_add(self, items: Mapping[int, Item]) -> int:
        """What is settled; who settled it and how is not known on another site."""
        names = frozenset(self.project.scheme.names)
        rows: list[Gold] = []
        for row in objects_of(self._archive, GOLD):
            try:
                item = items[row["id"]]
                spans = read_spans(row["spans"], item.tokens)
                if not {span["label"] for span in spans} <= names:
                    raise ProjectArchiveRefused(
                        f"{GOLD} has a label that the scheme lacks. Download the archive again."
                    )
                at = moment(row["at"]) or self.act.now
                labels = labels_of_words(spans, len(item.tokens))
                note = str(row["note"])
            except (RecordFault, KeyError, TypeError) as error:
                raise ProjectArchiveRefused(f"{GOLD}, line {len(rows) + 1}: {error}") from error
            gold = Gold(
                item=item, labels=labels, spans=spans, provenance=[], settled_at=at, note=note
            )
            rows.append(gold)
        return len(Gold.objects.bulk_create(rows))


def _scheme(row: Mapping[str, Any], slug: str) -> Scheme:
    """The site's scheme with these labels; where it has none, one of the project's own."""
    labels = [Label.from_json(label).to_json() for label in row["labels"]]
    told = {"title": str(row["title"]), "summary": str(row["summary"]), "labels": labels}
    scheme = Scheme(slug=str(row["slug"]), version=1, **told)
    return published_scheme(scheme) or own_scheme(scheme, slug)
