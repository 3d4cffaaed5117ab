"""Linking the project of an archive with what is here of things outside it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models

from annotation import access
from annotation.formats.archived_values import require, row_at, texts_of, values_of
from annotation.formats.records import RecordFault
from annotation.kinds.registry import kind_named, work_kinds
from annotation.kinds.work_kind import WorkKind
from annotation.models import Annotation, Item, PairDraw, Project, Revision
from annotation.selectors.judging.votes import REFERENCES
from annotation.selectors.sounds import sound_name
from annotation.selectors.stages.chain import earlier_stages
from annotation.selectors.stages.plan import normal_text
from annotation.services.projects import wrong_source
from earmark.captions.faults import in_quotes
from leaderboard.models import Phase, ReferenceSet, User

# An answer of a stage that is here: its key, its clip, and all that it ever said.
_AnswerHere = tuple[int, str, frozenset[str]]


class ArchiveLinks:
    """What of the things outside an archive's project is here, and may be linked by ``actor``.

    A phase and sets of references are linked where the actor organises them. What feeds the
    project is ``source``, which callers have checked that the actor manages; None: nothing.
    """

    def __init__(self, head: Mapping[str, Any], source: Project | None, actor: User) -> None:
        self._head, self._actor, self.source = head, actor, source
        self._answers: dict[int, _AnswerHere] = {}
        self._keys: dict[type[models.Model], Sequence[int | None]] = {}

    @property
    def source_name(self) -> str:
        """What fed the project there, "" for nothing."""
        source = self._head.get("source")
        return str(source.get("name", "")) if isinstance(source, dict) else ""

    @property
    def phase_name(self) -> str:
        """The phase whose captions are judged, "" for none."""
        return next((str(one.get("name", "")) for one in self._head.get("phases", [])), "")

    @property
    def phase(self) -> int | None:
        """The phase that is linked, by its id."""
        return next(iter(self._keys[Phase]), None)

    def find(self, kind: str) -> None:
        """Look for what is here, for this kind of work; raises ``RecordFault``."""
        if kind not in work_kinds():
            raise RecordFault("This site has no such kind of work.", value=kind)
        organised = access.phases_for(self._actor)
        hashes = values_of(str, self._head.get("references", []))
        sets = ReferenceSet.objects.filter(phases__in=organised, content_hash__in=hashes)
        known = dict(sets.values_list("content_hash", "pk"))
        self._keys[ReferenceSet] = [known.get(one) for one in hashes]
        phases = [texts_of(one) for one in values_of(dict, self._head.get("phases", []))]
        self._keys[Phase] = [_phase_here(one, organised) for one in phases]
        if self.source is not None:
            self._answers = _answers_here(self._head.get("source"), self.source, kind_named(kind))

    def key(self, model: type[models.Model], number: int) -> int | None:
        """The key of a phase or a set of references by its number in the archive."""
        return row_at(self._keys[model], number, f"{model._meta.verbose_name} {number}")

    def has_references(self, number: int | None) -> bool:
        """Whether the set of references with this number is here."""
        return number is not None and self.key(ReferenceSet, number) is not None

    def fit(self, row: Item | PairDraw) -> None:
        """Have a row refer to what is linked; what is not it keeps as the archive has it."""
        if isinstance(row, PairDraw):
            if row.phase_id is not None:
                row.systems = [system["id"] for system in row.systems]
            return
        if self.phase is not None:
            row.extra = {name: value for name, value in row.extra.items() if name != REFERENCES}
        if self.source is not None:
            self._relink(row, self.source)

    def _relink(self, item: Item, source: Project) -> None:
        """Have an item name the answers of the stages here that it is of."""
        content: dict[str, Any] = item.content
        if "caption" in content:
            number = self._number(item, content["caption"], content.get("annotation", 0))
            item.content = {**content, "annotation": number}
            item.meta = {**item.meta, "source": source.slug, "index": number}
            return
        item.content = {
            "captions": [
                {
                    **row,
                    "annotations": [
                        self._number(item, row["text"], number) for number in row["annotations"]
                    ],
                }
                for row in content["captions"]
            ]
        }

    def _number(self, item: Item, text: str, number: int) -> int:
        """The id of an answer here; less than 0, which is no answer's, where it was gone there."""
        here = self._answers.get(number)
        if here is None:
            return -abs(number)
        key, clip, texts = here
        if clip != sound_name(item) or normal_text(text) not in texts:
            raise RecordFault(
                "This sound has no such caption in the feeding project.",
                value=text,
                fix="Choose the project that was made from the archive of the feeding project.",
            )
        return key


def _phase_here(row: Mapping[str, str], organised: models.QuerySet[Phase]) -> int | None:
    """The phase of this address with these references, where the actor organises it."""
    phases = organised.filter(
        challenge__slug=row["challenge"],
        slug=row["phase"],
        reference_set__content_hash=row["references"],
    )
    return phases.values_list("pk", flat=True).first()


def _answers_here(row: Any, source: Project, kind: WorkKind) -> dict[int, _AnswerHere]:
    """The answers that the archive names, as they are in a project and what feeds that one."""
    if source.kind not in kind.sources:
        raise RecordFault(str(wrong_source(kind, source)))
    stages = [source, *earlier_stages(source)]
    content = require(dict, row)
    kinds = values_of(str, content["kinds"])
    if kinds != [stage.kind for stage in stages]:
        raise RecordFault(
            f"{in_quotes(source.name)} and what feeds it are not the stages of the archive.",
            value=", ".join(kinds),
            fix="Import their archives first, each fed by the one before.",
        )
    answers = [_answers_of(stage) for stage in stages]
    return {
        int(number): row_at(
            row_at(answers, place[0] + 1, f"stage {place[0]}"),
            place[1],
            f"answer {place[1]} in {source.name}",
        )
        for number, place in require(dict, content["answers"]).items()
        if values_of(int, place)
    }


def _answers_of(stage: Project) -> list[_AnswerHere]:
    texts: dict[int, set[str]] = {}
    versions = Revision.objects.filter(annotation__item__project=stage)
    for pk, value in versions.values_list("annotation", "value"):
        texts.setdefault(pk, set()).add(normal_text(str((value or {}).get("text", ""))))
    rows = Annotation.with_removed.filter(item__project=stage).select_related("item")
    return [
        (row.pk, sound_name(row.item), frozenset(texts.get(row.pk, ())))
        for row in rows.order_by("pk")
    ]
