"""What the address of a list of clips asks for, and the form that asks for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from django.http import Http404, HttpRequest, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from earmark.metrics.facets import ClipFacet
from earmark.registry import MetricInfo
from leaderboard.selectors.clips.corpus import Corpus, references_of
from leaderboard.selectors.clips.findings import FACETS, ClipFilter, Findings, choices_of
from leaderboard.selectors.clips.side_by_side import DIFFERENCES, Order
from leaderboard.selectors.submissions.system_choice import listed_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, VisibleSubmission

MOST_COMPARED = 5
MOST_CHARACTERS = 200
# What makes a clip one of a list that the reader came from.
LIST_PARAMETERS = {"sort", "metric", "q", *FACETS}


@dataclass(frozen=True, slots=True)
class ClipListQuery:
    """What the address asks for, nonsense replaced; ``metric`` None where none is scored.

    ``filters`` has at most one of each facet; ``modes`` are those asked for, also of
    facets by which nothing is chosen yet; ``beside`` are the ids of other systems.
    ``listed``: links lead on through the list, else through the file;
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
    def everything(self) -> "ClipListQuery":
        """The same for all clips."""
        return replace(self, words="", filters=())

    def without(self, *, facet: str = "", system: str = "") -> "ClipListQuery":
        """Leave out a filter or a system beside this one."""
        return replace(
            self,
            filters=tuple(one for one in self.filters if one.facet != facet),
            beside=tuple(one for one in self.beside if one != system),
        )

    def filter(self, facet: str) -> ClipFilter | None:
        """The filter on a facet, None where there is none."""
        return next((one for one in self.filters if one.facet == facet), None)

    @property
    def listing(self) -> list[tuple[str, str]]:
        """Names and values that say which list it is and in which order."""
        if not self.listed:
            return []
        pairs: list[tuple[str, str]] = [("sort", self.order)]
        if self.metric is not None:
            pairs.append(("metric", self.metric.name))
        if self.words:
            pairs.append(("q", self.words))
        for one in self.filters:
            pairs.append((one.facet, one.name))
            if len(FACETS[one.facet].modes) > 1:
                pairs.append((f"{one.facet}_mode", one.mode))
        return pairs

    def query(self, **more: str | int) -> str:
        """Write it as the query of an address."""
        beside = [("with", public_id) for public_id in self.beside]
        return urlencode([*self.listing, *beside, *more.items()])


def clip_list_query(
    request: HttpRequest, submission: AnySubmission, choices: list[MetricInfo], *, listed: bool
) -> ClipListQuery:
    """Read the address; without a metric the ranking metric is meant, else the first."""
    names = {info.name for info in choices}
    wanted = (request.GET.get("metric", ""), submission.phase.ranking_metric)
    name = next((name for name in wanted if name in names), None)
    modes = {
        facet.name: facet.mode(request.GET.get(f"{facet.name}_mode", ""))
        for facet in FACETS.values()
    }
    filters = tuple(
        ClipFilter(facet, mode, text)
        for facet, mode in modes.items()
        if (text := _text(request.GET, facet).strip())
    )
    ids = [one for one in request.GET.getlist("with") if one not in {"", submission.public_id}]
    beside = tuple(dict.fromkeys(ids))[:MOST_COMPARED]
    return ClipListQuery(
        metric=next((one for one in choices if name in (None, one.name)), None),
        order=_order(request.GET.get("sort", ""), several=bool(beside)),
        words=" ".join(_text(request.GET, "q").split()),
        filters=filters,
        modes=modes,
        beside=beside,
        listed=listed,
        choosing=bool(filters or request.GET.get("choose")),
    )


def _order(sort: str, *, several: bool) -> Order:
    known = [name for name in get_args(Order) if several or name not in DIFFERENCES]
    return sort if sort in known else "worst"  # type: ignore[return-value]


def _text(query: QueryDict, name: str) -> str:
    return query.get(name, "").replace("\0", " ")[:MOST_CHARACTERS]


def compared_systems(
    wanted: Iterable[str], others: Iterable[VisibleSubmission]
) -> list[VisibleSubmission]:
    """Choose the systems of these ids; raises ``Http404`` where one is not there to be seen."""
    by_id = {other.public_id: other for other in others}
    try:
        return [by_id[public_id] for public_id in wanted]
    except KeyError as error:
        raise Http404 from error


ORDERS = {"worst": "Worst first", "best": "Best first", "file": "As in the references"}
ORDERS_OF_SEVERAL = {
    "ahead": "Largest difference, this one ahead",
    "behind": "Largest difference, the other ahead",
    "spread": "Largest spread over the systems",
}


def filter_fields(query: ClipListQuery, findings: Findings) -> list[dict[str, Any]]:
    """The facets by which clips can be chosen, each with what there is to choose in its mode."""
    return [_field(FACETS[name], query, findings) for name in findings]


def filter_chips(query: ClipListQuery) -> list[tuple[ClipFilter, str, str]]:
    """The active filters, each with its mode in words and the query of the address without it."""
    return [
        (one, FACETS[one.facet].modes[one.mode], query.without(facet=one.facet).query())
        for one in query.filters
    ]


def _field(facet: ClipFacet[Any], query: ClipListQuery, findings: Findings) -> dict[str, Any]:
    active = query.filter(facet.name)
    mode = facet.mode(query.modes.get(facet.name, ""))
    choices = choices_of(findings, facet.name, mode)
    chosen = active.name if active else ""
    if chosen and all(name != chosen for name, _ in choices):
        # What is asked for must not change because the form is sent again.
        choices.insert(0, (chosen, 0))
    modes = list(facet.modes.items()) if len(facet.modes) > 1 else []
    return {"facet": facet, "mode": mode, "modes": modes, "chosen": chosen, "choices": choices}


def chooser_of(
    query: ClipListQuery,
    systems: Sequence[AnySubmission],
    others: Iterable[VisibleSubmission],
    find: str,
) -> dict[str, Any]:
    """Which systems stand ``beside`` the first one, and which can be ``addable``, by ``find``.

    The former each have the query of the address without them.
    """
    chosen = systems[1:]
    keys = {system.pk for system in chosen}
    # Thousands of systems have a handful of reference sets.
    same: dict[int | None, bool] = {}
    addable = []
    for other in others if len(chosen) < MOST_COMPARED else ():
        if other.other_references_id not in same:
            same[other.other_references_id] = _same_clips(other, systems[0])
        if other.pk not in keys and same[other.other_references_id]:
            addable.append(other)
    beside = [(system, query.without(system=system.public_id).query()) for system in chosen]
    return {"beside": beside, "addable": listed_of(addable, find)}


def _same_clips(other: AnySubmission, system: AnySubmission) -> bool:
    theirs, ours = other.reference_set, system.reference_set
    if theirs is None or ours is None:
        return False
    hashes = {theirs.content_hash, ours.content_hash}
    return len({references_of(content_hash).file_names for content_hash in hashes}) == 1


def clip_links(
    system: AnySubmission, corpus: Corpus, *, beside: AnySubmission | None = None
) -> tuple[str, ...]:
    """Addresses of the pages of a system's clips, compared with another system if given."""
    base = reverse("leaderboard:clip", args=[system.public_id, 1]).removesuffix("1/")
    query = "" if beside is None else f"?with={beside.public_id}"
    return tuple(f"{base}{number}/{query}" for number in range(1, len(corpus) + 1))
