"""Label schemes: versions of a project's, and inventories that labels of files are of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml
from django.db.models import QuerySet

from annotation.agreement.label_sets import LabelMapping
from annotation.models import Annotation, Answer, Gold, Project, Scheme
from annotation.models.scheme import Label
from earmark.captions.faults import count_of, in_quotes
from leaderboard.web.refusals import Refused

FIELD_NAMES = {
    "title": "title",
    "key": "key",
    "tone": "colour",
    "guideline": "description",
    "examples": "examples",
}


@dataclass(frozen=True, slots=True)
class SchemeDraft:
    """A version that is not there yet.

    ``becomes`` says of each label of the version before what it is now, "" for no label;
    what keeps its name need not be there. ``restores`` is the version whose labels it
    brings back, where that is all that it does. With ``asks_again`` answers given before do
    not count until their makers have gone through them.
    """

    title: str
    summary: str
    labels: tuple[Label, ...]
    becomes: Mapping[str, str] = field(default_factory=dict)
    restores: Scheme | None = None
    asks_again: bool = False

    def version_after(self, base: Scheme) -> Scheme:
        """The version, which is not stored yet."""
        return Scheme(
            slug=base.slug,
            version=base.version + 1,
            title=self.title,
            summary=self.summary,
            labels=[label.to_json() for label in self.labels],
            published=False,
            previous=base,
            restores=self.restores,
            becomes=dict(self.becomes),
            asks_again=self.asks_again,
        )

    def added(self, base: Scheme) -> list[str]:
        """Labels that no label of the version before has become."""
        known = {self.becomes.get(name, name) for name in base.names}
        return [label.name for label in self.labels if label.name not in known]

    def touches(self, base: Scheme) -> bool:
        """Whether it changes which labels there are, or what they are called."""
        return bool(self.becomes) or bool(self.added(base))

    def same_as(self, scheme: Scheme) -> bool:
        """Whether nothing would change."""
        content = (self.title, self.summary, self.labels)
        return content == (scheme.title, scheme.summary, scheme.inventory)


@dataclass(frozen=True, slots=True)
class SchemeProposal:
    """Labels from elsewhere, for the form: nothing of it holds.

    ``was`` says of proposed labels which of the present ones each is, where its name is another.
    """

    title: str
    summary: str
    labels: tuple[Label, ...]
    was: Mapping[str, str] = field(default_factory=dict)
    restores: Scheme | None = None


def scheme_versions(project: Project) -> list[Scheme]:
    """The versions of a project's scheme, latest first, down to the published one."""
    versions = [project.scheme]
    if not project.scheme.published:
        own = Scheme.objects.filter(slug=project.scheme.slug)
        versions = list(own.select_related("made_by", "previous").order_by("-version"))
        first = versions[-1].previous
        versions += [first] if first else []
    return versions


def answers_before(project: Project, draft: SchemeDraft) -> QuerySet[Annotation]:
    """Accepted answers given when labels that a draft adds were not there."""
    rows = Annotation.with_removed.filter(item__project=project, test=False)
    rows = rows.filter(inventory="", answer=Answer.ACCEPT)
    if draft.restores is None:
        return rows
    since = draft.restores.version
    known = [row.pk for row in scheme_versions(project) if row.version <= since]
    return rows.exclude(scheme__in=known)


def has_labels(project: Project) -> bool:
    """Whether there is any answer or settled caption, whose labels a change could touch."""
    answers = Annotation.every.filter(item__project=project)
    return answers.exists() or Gold.objects.filter(item__project=project).exists()


def inventory_names(project: Project) -> list[str]:
    """The names under which trainings of a project know its inventory, the present one first."""
    return list(dict.fromkeys(scheme.slug for scheme in scheme_versions(project)))


def scheme_changes(scheme: Scheme) -> list[str]:
    """What a version changed of the one before, a sentence each; none for the first."""
    before = scheme.previous
    return [] if before is None else changes_between(before, scheme, scheme.becomes)


def changes_between(
    before: Scheme, after: Scheme | SchemeDraft, becomes: Mapping[str, str]
) -> list[str]:
    """What differs between two versions, a sentence each."""
    old = before.inventory
    new = after.inventory if isinstance(after, Scheme) else after.labels
    changes = [
        f"{what} of the scheme changed."
        for what, one, other in (
            ("Title", before.title, after.title),
            ("Summary", before.summary, after.summary),
        )
        if one != other
    ]
    changes += label_changes(old, new, becomes)
    kept = [becomes.get(label.name, label.name) for label in old]
    present = [name for name in kept if name in {label.name for label in new}]
    if [label.name for label in new if label.name in present] != list(dict.fromkeys(present)):
        changes.append("The order of the labels changed.")
    return changes


def label_changes(
    old: Sequence[Label], new: Sequence[Label], becomes: Mapping[str, str]
) -> list[str]:
    """What became of labels, a sentence each."""
    before, after = {row.name: row for row in old}, {row.name: row for row in new}
    renamed = renamed_labels(old, new, becomes)
    changes = []
    for name, label in before.items():
        now = becomes.get(name, name)
        if name in renamed:
            changes.append(f"{in_quotes(name)} was renamed to {in_quotes(now)}.")
        elif now and now != name:
            changes.append(f"{in_quotes(name)} was merged into {in_quotes(now)}.")
        elif now not in after:
            changes.append(f"{in_quotes(name)} was removed.")
        if (name in renamed or now == name) and now in after:
            changes += _field_changes(label, after[now])
    come_from = {becomes.get(name, name) for name in before}
    changes += [f"{in_quotes(name)} was added." for name in after if name not in come_from]
    return changes


def renamed_labels(
    old: Sequence[Label], new: Sequence[Label], becomes: Mapping[str, str]
) -> dict[str, str]:
    """Labels that have another name now, and are no other label; by the name before."""
    before, after = {row.name for row in old}, {row.name for row in new}
    targets = list(becomes.values())
    return {
        name: now
        for name, now in becomes.items()
        if now in after - before and targets.count(now) == 1 and name in before
    }


def _field_changes(before: Label, after: Label) -> list[str]:
    changed = [
        text for name, text in FIELD_NAMES.items() if getattr(before, name) != getattr(after, name)
    ]
    return [f"{in_quotes(after.name)}: {', '.join(changed)} changed."] if changed else []


SHIPPED = Path(__file__).resolve().parents[1] / "schemes"


@cache
def label_mapping(source: str, target: str) -> LabelMapping:
    """The equivalents of one inventory's labels in another; refused where nobody wrote them down.

    Labels that are not listed keep their name; several values are those among which a
    person has to choose.
    """
    for row in yaml.safe_load((SHIPPED / "mappings.yaml").read_text()):
        if (row["from"], row["to"]) == (source, target):
            return {str(name): tuple(map(str, names)) for name, names in row["labels"].items()}
    raise Refused(f"It is not known which labels of {target} those of {source} correspond to.")


def answers_of_other_inventories(project: Project) -> QuerySet[Annotation]:
    """Annotations of files that do not count: of another inventory, or incomplete."""
    return Annotation.objects.filter(item__project=project).exclude(inventory="")


def newest_schemes() -> list[Scheme]:
    """The newest version of each published inventory."""
    newest: dict[str, Scheme] = {}
    for scheme in Scheme.objects.filter(published=True).order_by("slug", "-version"):
        newest.setdefault(scheme.slug, scheme)
    return list(newest.values())


@dataclass(frozen=True, slots=True)
class InventoryChoice:
    """What somebody said of a file's labels.

    ``source`` is the slug of their inventory, "" where nobody said. ``table`` has, by label
    of the file, the label of the project that it becomes, "" where it is left out.
    """

    source: str = ""
    table: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelReading:
    """How the labels of a file become those of a project.

    ``mapping`` has the labels of which it is known what they become; none: left out.
    ``inventory`` is that of the file where the others may mean something else than in the
    project: answers with these are kept and do not count. ``decided``: somebody said so.
    """

    inventory: str = ""
    mapping: LabelMapping = field(default_factory=dict)
    decided: bool = False

    def inventory_of(self, labels: Iterable[str]) -> str:
        """The inventory of an answer with these labels, "" where it is known what they are."""
        names = list(labels)
        return "" if names and all(name in self.mapping for name in names) else self.inventory

    def decisions(self, labels: Iterable[str]) -> dict[str, str]:
        """What those of the labels become that do not keep their name, "" for left out."""
        known = {name: self.mapping.get(name, (name,)) for name in labels}
        return {name: "".join(to) for name, to in known.items() if len(to) < 2 and to != (name,)}

    def mapping_json(self) -> dict[str, list[str]]:
        """The mapping as ``Import.mapping`` stores it."""
        return {label: list(names) for label, names in self.mapping.items()}


class UnreadableLabels(Refused):
    """Labels of a file of which it is not clear what they are in a project; says what to do."""

    def __init__(self, text: str) -> None:
        super().__init__(text, status=422)


class UndecidedLabels(UnreadableLabels):
    """Labels of which somebody has to say what they are before they come in."""


def _unknown_labels(
    scheme: Scheme, unknown: Mapping[str, int], known: list[str]
) -> UndecidedLabels:
    """Labels that the project's inventory lacks, and of which nobody said what they become."""
    labels = count_of(len(unknown), "label")
    are = "is" if len(unknown) == 1 else "are"
    every = f" All labels of the file are in {' and in '.join(known)}." if known else ""
    choose = f"Choose their inventory ({' or '.join(known)}), or say" if known else "Say"
    return UndecidedLabels(
        f"{labels} of the file {are} not in {scheme.title}: {counted(unknown)}.{every} "
        f"{choose} of each which label of the project it becomes, or that it is left out."
    )


def counted(labels: Mapping[str, int]) -> str:
    """Labels with how many spans have them, most first."""
    rows = sorted(labels.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{name} ({count:,})" for name, count in rows)


def label_reading(
    project: Project, labels: Mapping[str, int], choice: InventoryChoice
) -> LabelReading:
    """How a file with these labels (spans by label) comes into a project.

    A file whose labels all stand in a smaller inventory than the project's too is never
    taken for the project's unasked: the same name can mean less where there are more
    labels. Raises ``UnreadableLabels``.
    """
    scheme, known = project.scheme, {row.slug: row for row in newest_schemes()}
    if choice.source and choice.source not in {scheme.slug, *known}:
        raise UnreadableLabels(
            f"There is no inventory {in_quotes(choice.source)}. Choose from: "
            f"{', '.join(sorted({scheme.slug, *known}))}."
        )
    mapping = label_equivalents(scheme, choice)
    unknown = {name: n for name, n in labels.items() if name not in mapping}
    if lacking := {name: n for name, n in unknown.items() if name not in scheme.names}:
        raise _unknown_labels(scheme, lacking, _fitting(labels, scheme, known.values()))
    used = {name: names for name, names in mapping.items() if name in labels}
    decided = bool(choice.source or choice.table)
    if choice.source not in {"", scheme.slug} and not _is_written(choice.source, scheme):
        return LabelReading(choice.source, used, decided)
    if unknown and not choice.source and all(names == (name,) for name, names in used.items()):
        fewer = [row for row in known.values() if len(row.names) < len(scheme.names)]
        if smaller := _fitting(labels, scheme, fewer):
            raise UndecidedLabels(
                f"All labels of the file are in {scheme.slug}, and in {' and in '.join(smaller)} "
                f"too, where the same names may mean something else: {counted(labels)}. Nothing "
                f"says which inventory they are of. Choose {' or '.join([*smaller, scheme.slug])}."
            )
    return LabelReading("", used, decided)


def _is_written(source: str, scheme: Scheme) -> bool:
    """Whether it is written down what every label of an inventory is in a scheme."""
    try:
        return bool(label_mapping(source, scheme.slug))
    except Refused:
        return False


def label_equivalents(scheme: Scheme, choice: InventoryChoice) -> dict[str, tuple[str, ...]]:
    """What labels become by what was said, the table before what is written down.

    Raises ``UnreadableLabels`` where the project lacks what something is to become.
    """
    for name, target in choice.table.items():
        if target and target not in scheme.names:
            raise UnreadableLabels(
                f"{in_quotes(name)} cannot become {in_quotes(target)}: {scheme.title} has no such "
                f"label. Choose from: {', '.join(scheme.names)}; or nothing, to leave it out."
            )
    known = _is_written(choice.source, scheme)
    written = label_mapping(choice.source, scheme.slug) if known else {}
    table = {name: (target,) if target else () for name, target in choice.table.items()}
    return {**written, **table}


def _fitting(labels: Iterable[str], own: Scheme, known: Iterable[Scheme]) -> list[str]:
    """Other inventories that have all these labels, the smallest first."""
    wanted = set(labels)
    rows = [row for row in known if row.slug != own.slug and wanted <= set(row.names)]
    return [row.slug for row in sorted(rows, key=lambda row: (len(row.names), row.slug))]
