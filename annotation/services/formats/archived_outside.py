"""What an archive says of things outside its project: what feeds it, and a phase's captions."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from annotation.kinds.judge import order_for
from annotation.kinds.names import JUDGE
from annotation.models import Annotation, Item, PairDraw, Project
from annotation.models.annotation import SHOWN_FIRST
from annotation.selectors.judging.systems import system_names
from annotation.selectors.judging.votes import REFERENCES, phase_of
from annotation.selectors.stages.chain import earlier_stages
from leaderboard.models import Phase, ReferenceSet
from leaderboard.selectors.clips.corpus import references_of


def number_of(keys: Iterable[int]) -> dict[int, int]:
    """The numbers of keys in their order, from 1."""
    return {key: number for number, key in enumerate(keys, 1)}


def answer_numbers(item: Mapping[str, Any]) -> list[int]:
    """The answers of earlier stages that the content of an item is of."""
    rows = [item, *item.get("captions", ())] if "facet" not in item else []
    found = [number for row in rows for number in row.get("annotations", ())]
    return [*found, *(row["annotation"] for row in rows if "annotation" in row)]


class ArchivedOutside:
    """Names what is outside a project, and writes the values that depend on it.

    ``named``: the reader may have a phase's references and the names of its systems.
    """

    def __init__(self, project: Project, *, named: bool) -> None:
        self._project, self._phase = project, phase_of(project)
        self._named = named and self._phase is not None
        self._systems = system_names(project, self._phase, named=named)
        items = Item.with_removed.filter(project=project, reference_set__isnull=False)
        found = items.order_by("reference_set").values_list("reference_set", flat=True).distinct()
        self.reference_sets = [key for key in found if key is not None]

    @property
    def phases(self) -> list[Phase]:
        """The phase whose captions are judged; none of other work."""
        return [] if self._phase is None else [self._phase]

    def head(self) -> dict[str, Any]:
        """What ``project.json`` says of it."""
        hashes = ReferenceSet.objects.in_bulk(self.reference_sets)
        return {
            "references": [hashes[key].content_hash for key in self.reference_sets],
            "phases": [_phase_row(phase) for phase in self.phases],
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


def _phase_row(phase: Phase) -> dict[str, str]:
    return {
        "challenge": phase.challenge.slug,
        "phase": phase.slug,
        "name": str(phase),
        "references": "" if phase.reference_set is None else phase.reference_set.content_hash,
    }
