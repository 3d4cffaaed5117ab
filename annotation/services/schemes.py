"""Bringing inventories in, and making new versions of a project's label scheme."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import yaml
from django.db import transaction
from django.utils.text import slugify

from annotation.agreement.label_sets import LabelMapping
from annotation.batches import AT_ONCE, in_batches
from annotation.free_names import first_free
from annotation.label_rules import label_faults
from annotation.models import (
    Annotation,
    Assignment,
    Gold,
    GoldEnd,
    Item,
    KeyChoice,
    PastGold,
    Project,
    QualificationAnswer,
    QualificationCaption,
    Scheme,
    Suggestion,
)
from annotation.models.annotation import LONGEST_INVENTORY
from annotation.models.scheme import Label
from annotation.selectors.relabelling import (
    Relabelling,
    SchemeRoute,
    relabelled,
    relabelling,
    scheme_name,
)
from annotation.selectors.schemes import (
    SHIPPED,
    SchemeDraft,
    answers_before,
    renamed_labels,
    scheme_versions,
)
from annotation.services.adjudication import past_gold
from annotation.services.life_cycle import members_wait
from annotation.services.projects import ProjectAct, ProjectSettings, slug_for
from annotation.spans import OUTSIDE
from leaderboard.models import User
from leaderboard.web.refusals import Refused

# So long a caption that is to be gone through again waits for who labelled it before.
KEPT_FOR_MAKERS = timedelta(days=14)


def scheme_moved(current: Scheme) -> Refused:
    """Somebody made another version meanwhile."""
    who = f" by {current.made_by.get_username()}" if current.made_by else ""
    return Refused(
        f"Version {current.version} was made{who} in the meantime. Your changes are shown below "
        "but are not saved. Check that version, and apply your changes to it if you still want "
        "them."
    )


@transaction.atomic
def scheme_publish(
    *, project: Project, draft: SchemeDraft, base: Scheme, act: ProjectAct
) -> tuple[Scheme, Relabelling, int]:
    """Make a draft the project's next version; answers have its labels from then on.

    Returns it, what became of answers, and how many are to be gone through again.

    ``base`` is the version that the draft was made of. Answers on their way arrive before, or
    after by the new version. What was given stays as it was given in the answers' history.
    """
    members_wait(project)
    # Whoever settles a caption now does so before or after.
    items = Item.with_removed.filter(project=project).order_by("pk")
    list(items.select_for_update().values_list("pk"))
    project.refresh_from_db()
    if project.scheme != base:
        raise scheme_moved(project.scheme)
    if faults := label_faults(draft.labels):
        raise Refused(faults[0].message, status=422)
    if project.closed and draft.touches(base):
        raise Refused(
            "This project is closed, so its answers cannot change. Open it again to add, rename, "
            "merge or remove labels. You can change everything else now.",
            status=422,
        )
    scheme = draft.version_after(base)
    scheme.slug = base.slug if not base.published else free_slug(project)
    scheme.made_by = act.actor
    scheme.save(force_insert=True)
    _keep_keys(base, scheme, project)
    # What was kept before there were versions is of this one.
    Annotation.with_removed.filter(item__project=project, scheme=None).update(scheme=base)
    Gold.with_removed.filter(item__project=project, scheme=None).update(scheme=base)
    asked_again = _ask_again(project, draft, base, act) if draft.asks_again else 0
    project.scheme = scheme
    project.offered = offered_then(project, scheme)
    project.save(update_fields=["scheme", "offered"])
    done = _relabel(project, act)
    act.note("scheme", project, version=scheme.version)
    return scheme, done, asked_again


def offered_then(project: Project, scheme: Scheme) -> list[str]:
    """The labels that are offered by a new version: those of before, and what was added."""
    if not project.offered:
        return []
    before = scheme.previous.names if scheme.previous else ()
    became = {name: scheme.becomes.get(name, name) for name in before}
    hidden = {now for name, now in became.items() if name not in project.offered}
    shown = {now for name, now in became.items() if name in project.offered}
    return [name for name in scheme.names if name in shown or name not in hidden]


def _relabel(project: Project, act: ProjectAct) -> Relabelling:
    route = SchemeRoute(scheme_versions(project), project.scheme)
    done = relabelling(project, route)
    Annotation.with_removed.bulk_update(done.answers, ["spans", "extra"], batch_size=AT_ONCE)
    PastGold.objects.bulk_create(
        [past_gold(gold, GoldEnd.RELABELLED, by=act.actor, now=act.now) for gold in done.originals],
        batch_size=AT_ONCE,
    )
    columns = ["labels", "spans", "provenance"]
    Gold.with_removed.bulk_update(done.gold, columns, batch_size=AT_ONCE)
    _relabel_qualification(project, route)
    if project.scheme.previous is None or project.scheme.names != project.scheme.previous.names:
        # What the labeller says by these labels is asked for anew.
        Suggestion.with_removed.filter(item__project=project).delete()
    return done


def _relabel_qualification(project: Project, route: SchemeRoute) -> None:
    """What is expected and what was said have the labels of now, so that they can be compared."""
    known = route.labels_since(project.scheme.previous_id)
    captions = QualificationCaption.objects.filter(project=project)
    answers = QualificationAnswer.objects.filter(caption__project=project)
    rows: list[QualificationCaption | QualificationAnswer] = [*captions, *answers]
    for row in rows:
        row.labels = [known.get(label, label) or OUTSIDE for label in row.labels]
        row.spans = relabelled(row.spans, known)
        row.save(update_fields=["labels", "spans"])


def _ask_again(project: Project, draft: SchemeDraft, base: Scheme, act: ProjectAct) -> int:
    """Put accepted answers back to their makers, who have them at hand as they gave them.

    They are kept by the inventory of before and do not count; what was settled from them is
    past. Who is no longer in the project, or cannot log in, leaves the caption to others.
    """
    answers = answers_before(project, draft)
    keys = list(answers.values_list("pk", flat=True))
    items = list(answers.values_list("item", flat=True))
    for pks, their_items in zip(in_batches(keys), in_batches(items), strict=True):
        part = Annotation.with_removed.filter(pk__in=pks)
        held = Assignment.with_removed.filter(annotation__in=part)
        members = project.members.filter(user__is_active=True).values("user")
        left = list(held.exclude(user__in=members).values_list("pk", flat=True))
        held.update(done=False, expires_at=act.now + KEPT_FOR_MAKERS)
        Assignment.with_removed.filter(pk__in=left).update(user=None, expires_at=None)
        part.update(assignment=None, inventory=scheme_name(base)[:LONGEST_INVENTORY])
        golds = Gold.with_removed.filter(item__in=their_items)
        reason = f"Version {base.version + 1} of the labels asks for it again"
        PastGold.objects.bulk_create(
            past_gold(gold, GoldEnd.RENEWED, by=act.actor, now=act.now, reason=reason)
            for gold in golds
        )
        golds.delete()
    return len(keys)


def published_scheme(scheme: Scheme) -> Scheme | None:
    """The site's version of a published inventory of this name with these labels."""
    known = Scheme.objects.filter(slug=scheme.slug, published=True).order_by("-version")
    return next((one for one in known if one.labels == scheme.labels), None)


def scheme_started(*, scheme: Scheme, settings: ProjectSettings, act: ProjectAct) -> Scheme:
    """The scheme of a project that is about to be made: a stored one, or the first of its own."""
    if scheme.pk is not None:
        return scheme
    scheme.made_by = act.actor
    return own_scheme(scheme, free_slug(Project(slug=slug_for(settings.name))))


def own_scheme(scheme: Scheme, slug: str) -> Scheme:
    """Store a version as a project's own: no other project meets what a file brings.

    Refused where it is unsound; raises ``ValidationError``, too.
    """
    if faults := label_faults(scheme.inventory):
        fault = faults[0]
        raise Refused(f"Label {fault.place + 1}, {fault.field}: {fault.message}", status=422)
    scheme.slug, scheme.published = slug, False
    created = scheme.created_at
    scheme.full_clean(exclude=["labels"])
    scheme.save(force_insert=True)
    if created is not None:
        Scheme.objects.filter(pk=scheme.pk).update(created_at=created)
    return scheme


def free_slug(project: Project) -> str:
    """A name for the inventory of a project's own that no other has."""
    start = slugify(project.slug)[:44].strip("-")
    taken = set(Scheme.objects.filter(slug__startswith=start).values_list("slug", flat=True))
    return first_free(start, taken.__contains__, lambda number: f"{start}-{number}")


def _keep_keys(base: Scheme, scheme: Scheme, project: Project) -> None:
    """Keep the keys that members chose for themselves, those of renamed labels as well."""
    members = project.members.values("user")
    changed = renamed_labels(base.inventory, scheme.inventory, scheme.becomes)
    renamed = {f"label:{old}": f"label:{new}" for old, new in changed.items()}
    rows = list(KeyChoice.objects.filter(scheme=base, user__in=members))
    for row in rows:
        keys: dict[str, str] = row.keys
        row.pk, row.scheme = None, scheme
        row.keys = {renamed.get(key, key): letter for key, letter in keys.items()}
    KeyChoice.objects.bulk_create(rows)


def scheme_store(*, definition: dict[str, Any]) -> Scheme:
    """Store a version of an inventory, or give it where it is stored already."""
    labels = [Label.from_json(row).to_json() for row in definition["labels"]]
    scheme, created = Scheme.objects.get_or_create(
        slug=definition["slug"],
        version=definition["version"],
        defaults={
            "title": definition["title"],
            "summary": definition.get("summary", ""),
            "labels": labels,
        },
    )
    if not created and scheme.labels != labels:
        raise Refused(
            f"Version {scheme.version} of {scheme.slug} is stored with other labels, and versions "
            "never change. Give the changed inventory the next version."
        )
    return scheme


def schemes_load() -> list[Scheme]:
    """Store the inventories that come with Earmark where they are missing."""
    return [scheme_store(definition=definition) for definition in _shipped_definitions()]


@cache
def _shipped_definitions() -> tuple[dict[str, Any], ...]:
    """What the files of the shipped inventories say; parsing them takes 20 ms."""
    return tuple(yaml.safe_load(file.read_text()) for file in sorted(SHIPPED.glob("aces-*.yaml")))


def relabelled_spans(
    spans: Sequence[Mapping[str, Any]], mapping: LabelMapping, text: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Relabel spans that have one equivalent; of several, a question each; of none, left out."""
    relabelled: list[dict[str, Any]] = []
    questions: list[str] = []
    for span in spans:
        names = mapping.get(span["label"], (span["label"],))
        if len(names) == 1:
            relabelled.append({**span, "label": names[0]})
        elif names:
            words = text[span["start"] : span["end"]]
            questions.append(f"\u201c{words}\u201d was {span['label']}: {' or '.join(names)}?")
    return relabelled, questions


def keys_choose(*, user: User, scheme: Scheme, keys: Mapping[str, str], now: datetime) -> KeyChoice:
    """Keep all changed keys of a scheme; none brings back those of the scheme."""
    choice, _ = KeyChoice.objects.update_or_create(
        user=user, scheme=scheme, defaults={"keys": dict(keys), "updated_at": now}
    )
    return choice
