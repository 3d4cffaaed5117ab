"""What becomes of labels that were given by an earlier version of a project's scheme."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from annotation.batches import AT_ONCE
from annotation.models import Annotation, Gold, GoldEnd, PastGold, Project, Revision, Scheme
from annotation.selectors.schemes import (
    SchemeDraft,
    SchemeProposal,
    answers_before,
    scheme_versions,
)
from annotation.spans import OUTSIDE

LabelMap = Mapping[str, str]


class SchemeRoute:
    """The way of labels from the versions of a scheme to one that came after them, ``now``.

    ``now`` may be a version that is not stored yet.
    """

    def __init__(self, versions: Iterable[Scheme], now: Scheme) -> None:
        self.now = now
        self._known = {version.pk: version for version in versions}
        self._first = min(self._known.values(), key=lambda version: version.version)
        self._maps: dict[int, dict[str, str]] = {}

    def labels_since(self, version_id: int | None) -> LabelMap:
        """What each label of a version (by its id; None: the first) is now, "" for no label."""
        start = self._version(version_id)
        if start.pk not in self._maps:
            self._maps[start.pk] = self._follow(start, self.now)
        return self._maps[start.pk]

    @property
    def earlier(self) -> list[Scheme]:
        """The versions before."""
        return [version for version in self._known.values() if version != self.now]

    def version_named(self, name: str) -> Scheme:
        """The version of this name ("slug.number"), the present one where there is none."""
        return next((row for row in self._known.values() if scheme_name(row) == name), self.now)

    def asked_again_since(self, version_id: int | None) -> bool:
        """Whether a later version than this (by its id; None: the first) asked for answers again.

        One that brought the labels of an earlier one back asked only for what came after that.
        """
        start = self._version(version_id)
        return any(
            row.asks_again and not self._has_labels_of(row, start)
            for row in self._known.values()
            if row.version > start.version
        )

    def _version(self, version_id: int | None) -> Scheme:
        return self._known.get(version_id, self._first) if version_id else self._first

    def _has_labels_of(self, later: Scheme, start: Scheme) -> bool:
        restored = self._known.get(later.restores_id or 0)
        return restored is not None and start.version <= restored.version

    def _follow(self, start: Scheme, end: Scheme) -> dict[str, str]:
        if start == end:
            return {name: name for name in end.names}
        if self._has_labels_of(end, start):
            return self._follow(start, self._known[end.restores_id or 0])
        before = self._known[end.previous_id or 0]
        step: dict[str, str] = end.becomes
        names = set(end.names)
        now = {name: step.get(label, label) for name, label in self._follow(start, before).items()}
        return {name: label if label in names else "" for name, label in now.items()}


def scheme_name(scheme: Scheme) -> str:
    """How a version is named between the labelling page and the server."""
    return f"{scheme.slug}.{scheme.version}"


def route_of(project: Project) -> SchemeRoute:
    """The way of labels to the project's present version."""
    return SchemeRoute(scheme_versions(project), project.scheme)


def labels_since_earlier(project: Project) -> dict[str, dict[str, str]]:
    """By name of each earlier version: its labels that are another now, "" for none."""
    route = route_of(project)
    return {
        scheme_name(version): {
            name: now for name, now in route.labels_since(version.pk).items() if name != now
        }
        for version in route.earlier
    }


def proposal_to_restore(project: Project, version: Scheme) -> SchemeProposal:
    """The labels of an earlier version; those renamed since go back to their names."""
    now = route_of(project).labels_since(version.pk)
    present = list(now.values())
    renamed = {
        name: label
        for name, label in now.items()
        if label and label not in version.names and present.count(label) == 1
    }
    return SchemeProposal(version.title, version.summary, version.inventory, renamed, version)


def relabelled(spans: Iterable[Mapping[str, Any]], labels: LabelMap) -> list[dict[str, Any]]:
    """Spans with the labels that theirs have become; those without any are left out.

    Labels that are of no version, as files may bring them, stay.
    """
    now = ({**span, "label": labels.get(span["label"], span["label"])} for span in spans)
    return [span for span in now if span["label"]]


@dataclass(slots=True)
class Concerned:
    """What has a label that becomes another: spans, captions and people, and settled captions."""

    spans: int = 0
    captions: set[int] = field(default_factory=set)
    people: set[int] = field(default_factory=set)
    gold: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Relabelling:
    """What a version does: by label before and after ("" for none), what is concerned.

    ``answers`` and ``gold`` are those that change, as they are to be stored; ``originals``
    are settled labels as they were before anything became of them.
    """

    concerned: dict[tuple[str, str], Concerned] = field(
        default_factory=lambda: defaultdict(Concerned)
    )
    answers: list[Annotation] = field(default_factory=list)
    gold: list[Gold] = field(default_factory=list)
    originals: list[Gold] = field(default_factory=list)


def relabelling(project: Project, route: SchemeRoute) -> Relabelling:
    """Work out what becomes of all answers of a project and all that is settled.

    Of captions that were removed as well: they may be brought back.
    """
    result = Relabelling()
    answers = Annotation.with_removed.filter(item__project=project).order_by("pk")
    last = 0
    while part := list(answers.filter(pk__gt=last)[:AT_ONCE]):
        _answers(part, route, result)
        last = part[-1].pk
    golds = Gold.with_removed.filter(item__project=project).order_by("pk")
    originals = _originals(project)
    for gold in golds:
        _gold(gold, originals.get(gold.item_id, gold), route, result)
    return result


def _answers(part: Sequence[Annotation], route: SchemeRoute, result: Relabelling) -> None:
    latest = Revision.objects.filter(
        annotation__in=[row.pk for row in part], version=F("annotation__version")
    )
    revisions = {row.annotation_id: row for row in latest}
    for row in part:
        source = revisions.get(row.pk, row)
        labels = route.labels_since(source.scheme_id)
        spans = relabelled(source.spans, labels)
        if spans == row.spans:
            continue
        for before, after in _differences(row.spans, spans):
            concerned = result.concerned[before, after]
            concerned.spans += 1
            concerned.captions.add(row.item_id)
            concerned.people.add(row.user_id)
        if "taken" in row.extra:
            taken = source.taken if source.taken is not None else row.taken
            row.extra = {**row.extra, "taken": relabelled(taken, labels)}
        row.spans = spans
        result.answers.append(row)


def _differences(
    before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[str, str]]:
    """The labels before and after of each run of words that has another one."""
    old = {(span["token_start"], span["token_end"]): str(span["label"]) for span in before}
    new = {(span["token_start"], span["token_end"]): str(span["label"]) for span in after}
    for place in sorted({*old, *new}):
        if old.get(place) != new.get(place):
            yield old.get(place, ""), new.get(place, "")


def _originals(project: Project) -> dict[int, Gold]:
    """What is settled of captions as it was before labels changed, by caption."""
    past = PastGold.with_removed.filter(item__project=project, end=GoldEnd.RELABELLED)
    present = dict(
        Gold.with_removed.filter(item__project=project).values_list("item", "settled_at")
    )
    return {
        row.item_id: Gold(
            item_id=row.item_id,
            labels=row.labels,
            spans=row.spans,
            provenance=row.provenance,
            scheme_id=row.scheme_id,
        )
        for row in past
        if present.get(row.item_id) == row.settled_at
    }


def _gold(gold: Gold, original: Gold, route: SchemeRoute, result: Relabelling) -> None:
    known = route.labels_since(original.scheme_id)
    labels = [known.get(name, name) or OUTSIDE for name in original.labels]
    spans = relabelled(original.spans, known)
    provenance = [_provenance(row, known) for row in original.provenance]
    if (labels, spans, provenance) == (gold.labels, gold.spans, gold.provenance):
        return
    if original is gold:
        result.originals.append(Gold.with_removed.get(pk=gold.pk))
    for before, after in _differences(gold.spans, spans):
        result.concerned[before, after].gold.add(gold.item_id)
    gold.labels, gold.spans, gold.provenance = labels, spans, provenance
    result.gold.append(gold)


def _provenance(row: Mapping[str, Any], known: LabelMap) -> dict[str, Any]:
    """How a word came to its label, with what annotations said by the labels of now."""
    if "votes" not in row:
        return dict(row)
    votes = {key: known.get(name, name) or OUTSIDE for key, name in row["votes"].items()}
    edge = row.get("edge")
    if not edge or "votes" not in edge:
        return {**row, "votes": votes}
    # Where no label is left, no span begins.
    begins = {key: begun and votes.get(key) != OUTSIDE for key, begun in edge["votes"].items()}
    return {**row, "votes": votes, "edge": {**edge, "votes": begins}}


def scheme_effect(project: Project, draft: SchemeDraft) -> dict[str, Any]:
    """What a draft would do, over every answer of the project, those that do not count included.

    ``rows`` have what is concerned by a label and what it becomes, "" for none. ``unused`` are
    labels that go or change and that nothing has. ``added`` labels were not there when ``answers``
    of ``people`` to ``captions`` were given; ``gold`` of those are settled.
    """
    base = project.scheme
    route = SchemeRoute(scheme_versions(project), draft.version_after(base))
    rows = sorted(relabelling(project, route).concerned.items())
    met = {before for (before, _), _ in rows}
    answers = answers_before(project, draft).order_by()
    answers = answers if asks(project, draft) else answers.none()
    return {
        "rows": rows,
        "unused": [name for name in draft.becomes if name not in met],
        "added": draft.added(base),
        "answers": answers.count(),
        "captions": answers.values("item").distinct().count(),
        "people": answers.values("user").distinct().count(),
        "gold": Gold.with_removed.filter(item__in=answers.values("item")).count(),
    }


def asks(project: Project, draft: SchemeDraft) -> bool:
    """Whether it has to be said what answers are that were given without the added labels."""
    return bool(draft.added(project.scheme)) and answers_before(project, draft).exists()
