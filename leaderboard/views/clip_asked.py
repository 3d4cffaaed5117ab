"""What the address of a list of clips asks for, read once for pages that need it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from django.http import Http404, HttpRequest, QueryDict
from django.utils.http import urlencode

from leaderboard.models import Submission
from leaderboard.selectors.clip_filters import FACETS, ClipFilter
from leaderboard.selectors.clip_orders import DIFFERENCES, Order
from scoring.registry import METRICS, MetricInfo

MOST_BESIDE = 5
MOST_CHARACTERS = 200
# What makes a clip one of a list that the reader came from.
LISTING = {"sort", "metric", "q", *FACETS}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for, nonsense replaced; ``metric`` None where none is scored.

    ``filters`` has at most one of each facet; ``modes`` are those asked for, also of
    facets by which nothing is chosen yet; ``beside`` are the ids of other systems.
    ``listed`` tells whether links lead on through the list, or through the file;
    ``choosing`` whether filters are to be shown, which costs reading the details.
    """

    metric: MetricInfo | None
    order: Order
    words: str
    filters: tuple[ClipFilter, ...] = field(default=())
    modes: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = field(default=())
    listed: bool = True
    choosing: bool = False

    @property
    def everything(self) -> "Asked":
        """The same for all clips."""
        return replace(self, words="", filters=())

    def without(self, *, facet: str = "", system: str = "") -> "Asked":
        """Leave out a filter or a system beside this one."""
        return replace(
            self,
            filters=tuple(one for one in self.filters if one.facet != facet),
            beside=tuple(one for one in self.beside if one != system),
        )

    def filter(self, facet: str) -> ClipFilter | None:
        """Give what is asked of a facet."""
        return next((one for one in self.filters if one.facet == facet), None)

    @property
    def listing(self) -> list[tuple[str, str]]:
        """Names and values that say which list it is and in which order."""
        if not self.listed:
            return []
        found: list[tuple[str, str]] = [("sort", self.order)]
        if self.metric is not None:
            found.append(("metric", self.metric.name))
        if self.words:
            found.append(("q", self.words))
        for one in self.filters:
            found.append((one.facet, one.name))
            if len(FACETS[one.facet].modes) > 1:
                found.append((f"{one.facet}_mode", one.mode))
        return found

    def query(self, **more: str | int) -> str:
        """Write it as the query of an address."""
        beside = [("with", public_id) for public_id in self.beside]
        return urlencode([*self.listing, *beside, *more.items()])


def asked_of(
    request: HttpRequest, submission: Submission, choices: list[MetricInfo], *, listed: bool
) -> Asked:
    """Read the address; without a metric the ranking metric is meant, else the first."""
    names = {info.name for info in choices}
    wanted = (request.GET.get("metric", ""), submission.phase.ranking_metric)
    name = next((name for name in wanted if name in names), None)
    modes = {
        facet.name: facet.mode(request.GET.get(f"{facet.name}_mode", ""))
        for facet in FACETS.values()
    }
    filters = tuple(_filters(request.GET, modes))
    beside = beside_ids(request.GET.getlist("with"), submission)
    return Asked(
        metric=METRICS[name] if name else next(iter(choices), None),
        order=_order(request.GET.get("sort", ""), several=bool(beside)),
        words=" ".join(_text(request.GET, "q").split()),
        filters=filters,
        modes=modes,
        beside=beside,
        listed=listed,
        choosing=bool(filters or request.GET.get("choose")),
    )


def _order(asked: str, *, several: bool) -> Order:
    known = [name for name in get_args(Order) if several or name not in DIFFERENCES]
    return asked if asked in known else "worst"  # type: ignore[return-value]


def _filters(query: QueryDict, modes: Mapping[str, str]) -> Iterable[ClipFilter]:
    for facet, mode in modes.items():
        name = _text(query, facet).strip()
        if name:
            yield ClipFilter(facet, mode, name)


def _text(query: QueryDict, name: str) -> str:
    return query.get(name, "").replace("\0", " ")[:MOST_CHARACTERS]


def beside_ids(asked: Iterable[str], submission: Submission) -> tuple[str, ...]:
    """Give the ids of the systems to show beside one, each once and only so many."""
    others = (public_id for public_id in asked if public_id not in {"", submission.public_id})
    return tuple(dict.fromkeys(others))[:MOST_BESIDE]


def chosen_beside(wanted: Iterable[str], others: Iterable[Submission]) -> list[Submission]:
    """Choose the systems of these ids; raises ``Http404`` where one is not there to be seen."""
    by_id = {other.public_id: other for other in others}
    try:
        return [by_id[public_id] for public_id in wanted]
    except KeyError as error:
        raise Http404 from error
