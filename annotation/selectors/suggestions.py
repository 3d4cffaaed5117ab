"""The labeller in use, and its suggestions in a project."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Assignment, Item, Order, Project, Suggestion
from earmark.errors import ScoringError
from earmark.models.descriptors import DescriptorLabeller, find_labeller
from leaderboard.selectors.labellers.use import labeller_path_in_use
from leaderboard.web.redaction import without_paths


def labeller_in_use() -> DescriptorLabeller:
    """Find the labeller in use; raises ``ScoringError`` where its files are gone or changed."""
    return find_labeller(labeller_path_in_use())


def labeller_state(project: Project) -> dict[str, Any]:
    """What a project has from the labeller in use, in two queries at most.

    ``fault`` alone says why it cannot be used. ``missing`` are labels of the project that it does
    not know. ``suggested`` of ``single`` captions that are open and go to one person have what it
    says of them.
    """
    try:
        labeller = labeller_in_use()
    except ScoringError as error:
        return {"fault": without_paths(str(error))}
    missing = [label.title for label in project.labels if label.name not in labeller.labels]
    state = {"identity": labeller.identity, "missing": missing, "single": 0, "suggested": 0}
    if project.suggest:
        single = open_single_items(project).count()
        waiting = items_to_suggest(project, labeller.identity).count()
        state |= {"single": single, "suggested": single - waiting}
    return state


def open_single_items(project: Project) -> QuerySet[Item]:
    """The captions that go to one person and wait for an answer: no others get suggestions."""
    free = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    return Item.objects.filter(Exists(free), project=project, copies=1)


def items_to_suggest(project: Project, identity: str) -> QuerySet[Item]:
    """Those of the ``open_single_items`` without a suggestion by this labeller."""
    suggested = Suggestion.objects.filter(item=OuterRef("pk"), identity=identity)
    return open_single_items(project).filter(~Exists(suggested))


def projects_to_suggest(identity: str) -> list[Project]:
    """List the projects that wait for suggestions by this labeller."""
    single = Assignment.objects.filter(project=OuterRef("pk"), done=False, item__copies=1)
    suggested = Suggestion.objects.filter(item=OuterRef("item"), identity=identity)
    rows = Project.objects.filter(suggest=True, closed=False)
    return list(rows.filter(Exists(single.filter(~Exists(suggested)))))


def projects_to_rank(identity: str) -> list[Project]:
    """List the projects whose order another labeller made, or that got captions since."""
    fresh = Assignment.objects.filter(
        project=OuterRef("pk"), done=False, item__created_at__gt=OuterRef("ranked_at")
    )
    waiting = Assignment.objects.filter(project=OuterRef("pk"), done=False)
    rows = Project.objects.filter(Exists(waiting), order=Order.UNCERTAIN, closed=False)
    return list(rows.filter(~Q(ranked_by=identity) | Q(ranked_at=None) | Exists(fresh)))


def suggestions_of(items: Iterable[Item], project: Project) -> dict[int, dict[str, Any]]:
    """Suggestions by the captions' ids, in one query, without labels that are not offered.

    Each is ``spans`` with ``confidence``, and the identity of the ``labeller`` that made them.
    """
    if not project.suggest:
        return {}
    single = [item.pk for item in items if not item.measures_agreement]
    offered = {label.name for label in project.labels}
    rows = Suggestion.objects.filter(item__in=single, item__project=project, item__copies=1)
    suggestions = {}
    for row in rows:
        spans = [span for span in row.spans if span["label"] in offered]
        if spans:
            suggestions[row.item_id] = {"labeller": row.identity, "spans": spans}
    return suggestions
