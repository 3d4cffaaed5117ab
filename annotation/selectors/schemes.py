"""The versions of a project's label scheme, and what a change of it does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from annotation.models import Annotation, Answer, Gold, Project, Scheme
from annotation.models.scheme import Label
from scoring.captions.faults import in_quotes

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
        told = (self.title, self.summary, self.labels)
        return told == (scheme.title, scheme.summary, scheme.inventory)


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
