"""The labeller in use, and what a project has from it."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Item, Order, Place, Project, Suggestion
from leaderboard.places import without_places
from leaderboard.selectors.labellers import labeller_path_in_use
from scoring.errors import ScoringError
from scoring.models.descriptors import Labeller, find_labeller


def labeller_at_hand() -> Labeller:
    """Find the labeller in use; raises ``ScoringError`` where its files are gone or changed."""
    return find_labeller(labeller_path_in_use())


@dataclass(frozen=True, slots=True)
class LabellerState:
    """What a project has from the labeller in use.

    ``identity`` is empty where ``fault`` says why it cannot be used. ``missing`` are
    labels of the project that it does not know. ``suggested`` of ``single`` captions
    that are open and go to one person have what it says of them.
    """

    identity: str
    fault: str
    missing: tuple[str, ...]
    single: int
    suggested: int


def labeller_state(project: Project) -> LabellerState:
    """Read it, in two queries at most."""
    try:
        labeller = labeller_at_hand()
    except ScoringError as error:
        return LabellerState("", without_places(str(error)), (), 0, 0)
    missing = tuple(label.title for label in project.labels if label.name not in labeller.labels)
    if not project.suggest:
        return LabellerState(labeller.identity, "", missing, 0, 0)
    single = single_open(project).count()
    waiting = items_to_suggest(project, labeller.identity).count()
    return LabellerState(labeller.identity, "", missing, single, single - waiting)


def single_open(project: Project) -> QuerySet[Item]:
    """Give the captions that go to one person and wait for an answer: no others get suggestions."""
    free = Place.objects.filter(item=OuterRef("pk"), done=False)
    return Item.objects.filter(Exists(free), project=project, copies=1)


def items_to_suggest(project: Project, identity: str) -> QuerySet[Item]:
    """Give those of them of which this labeller has not said anything yet."""
    said = Suggestion.objects.filter(item=OuterRef("pk"), identity=identity)
    return single_open(project).filter(~Exists(said))


def projects_to_suggest(identity: str) -> list[Project]:
    """List the projects that wait for suggestions by this labeller."""
    single = Place.objects.filter(project=OuterRef("pk"), done=False, item__copies=1)
    said = Suggestion.objects.filter(item=OuterRef("item"), identity=identity)
    rows = Project.objects.filter(suggest=True, closed=False)
    return list(rows.filter(Exists(single.filter(~Exists(said)))))


def projects_to_rank(identity: str) -> list[Project]:
    """List the projects whose order another labeller made, or that got captions since."""
    fresh = Place.objects.filter(
        project=OuterRef("pk"), done=False, item__created_at__gt=OuterRef("ranked_at")
    )
    waiting = Place.objects.filter(project=OuterRef("pk"), done=False)
    rows = Project.objects.filter(Exists(waiting), order=Order.UNCERTAIN, closed=False)
    return list(rows.filter(~Q(ranked_by=identity) | Q(ranked_at=None) | Exists(fresh)))
