"""What is asked of a choice, which clips may be chosen, and what keeps it from working."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from earmark.captions.faults import Fault, count_of, in_quotes
from earmark.datasets.choosing.places import places_in_bins
from earmark.datasets.choosing.pool import OPTIONS, ClipPool, PoolClip


@dataclass(frozen=True, slots=True)
class ChoiceRequest:
    """How many clips, and which.

    Clips with one of the ``excluded_tags`` are not chosen and not counted. A tag counts if it is
    none of the ``ignored_tags`` and ``fewest_clips`` of the others have it, and ``least_share`` of
    them, from 0 to 1 (Drossos et al. 2020, section 2.1: .01). ``shortest`` and
    ``longest`` are seconds, both included. ``duration_shares`` divides the range between them
    into as many bins of equal width, which get clips in these proportions. Of one group there
    are at most ``most_per_group`` clips. ``restarts`` is how often the best set so far is
    disturbed and improved again. ``names`` is what whoever asks knows these and the columns by.
    """

    count: int
    seed: int = 0
    fewest_clips: int = 1
    least_share: float = 0.0
    excluded_tags: tuple[str, ...] = ()
    ignored_tags: tuple[str, ...] = ()
    shortest: float | None = None
    longest: float | None = None
    duration_shares: tuple[float, ...] = ()
    most_per_group: int | None = None
    restarts: int = 5
    names: Mapping[str, str] = field(default_factory=lambda: OPTIONS, compare=False)

    @property
    def reads_durations(self) -> bool:
        """Whether it matters how long the clips are."""
        limits = (self.shortest, self.longest)
        return bool(self.duration_shares) or any(limit is not None for limit in limits)

    def candidates(self, pool: ClipPool) -> list[PoolClip]:
        """The clips of a pool that have none of the excluded tags."""
        return [clip for clip in pool.clips if set(self.excluded_tags).isdisjoint(clip.tags)]


@dataclass(frozen=True)
class EligibleClips:
    """The clips that may be chosen, in the order of the pool.

    ``excluded`` more are left out for their tags. ``tags`` are the kept tags' names in order;
    ``tags_of`` the positions of each clip's tags among them. ``bins`` and ``groups`` number where
    each clip belongs; ``edges`` are the seconds between which the bins are. ``places`` is how many
    clips each bin gets.
    """

    clips: tuple[PoolClip, ...]
    excluded: int
    tags: tuple[str, ...]
    tags_of: tuple[NDArray[np.int64], ...]
    bins: NDArray[np.int64]
    groups: NDArray[np.int64]
    edges: tuple[float, ...]
    places: NDArray[np.int64]

    @property
    def tag_counts(self) -> NDArray[np.int64]:
        """How many of these clips have each tag."""
        return np.bincount(np.concatenate(self.tags_of), minlength=len(self.tags))


class ChoiceRejected(Exception):
    """The pool and the request do not fit; ``faults`` says all that is wrong."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(" ".join(fault.message for fault in faults))
        self.faults = faults


def eligible_clips(pool: ClipPool, request: ChoiceRequest) -> EligibleClips:
    """The clips that the request leaves; raises ``ChoiceRejected`` with every fault."""
    faults = request_faults(request, pool)
    if faults:
        raise ChoiceRejected(faults)
    candidates = request.candidates(pool)
    kept = _kept_tags(candidates, request)
    clips = tuple(
        clip
        for clip in candidates
        if _is_in_range(clip, request) and not kept.isdisjoint(clip.tags)
    )
    if len(clips) < request.count:
        raise ChoiceRejected((_too_few(len(clips), pool, request),))
    return _numbered(clips, len(pool) - len(candidates), kept, request)


def request_faults(request: ChoiceRequest, pool: ClipPool | None) -> tuple[Fault, ...]:
    """What is wrong with a request by itself, and with what it asks of a pool."""
    clip_faults = () if pool is None else _clip_faults(pool, request)
    return (*_option_faults(request), *clip_faults)


def _option_faults(request: ChoiceRequest) -> Iterator[Fault]:
    checks = (
        (request.count >= 1, "count", request.count, "Choose at least one clip."),
        (request.seed >= 0, "seed", request.seed, "The seed must be a whole number, 0 or greater."),
        (request.fewest_clips >= 1, "fewest_clips", request.fewest_clips, "Give 1 or more."),
        (
            0 <= request.least_share <= 1,
            *("least_share", request.least_share, "Give a number from 0 to 1."),
        ),
        (request.restarts >= 0, "restarts", request.restarts, "Give 0 or more."),
        (
            request.most_per_group is None or request.most_per_group >= 1,
            *("most_per_group", request.most_per_group, "Give 1 or more."),
        ),
        (
            _are_shares(request.duration_shares),
            *("duration_shares", request.duration_shares),
            "Give numbers that are 0 or greater, at least one of them above 0.",
        ),
        (
            request.shortest is None
            or request.longest is None
            or request.shortest < request.longest,
            *("shortest", request.shortest, f"Give less than {request.names['longest']}."),
        ),
    )
    return (
        Fault(None, request.names[name], str(value), message)
        for holds, name, value, message in checks
        if not holds
    )


def _are_shares(shares: tuple[float, ...]) -> bool:
    finite = all(math.isfinite(share) and share >= 0 for share in shares)
    return not shares or (finite and any(shares))


def _clip_faults(pool: ClipPool, request: ChoiceRequest) -> Iterator[Fault]:
    if request.count > len(pool):
        yield Fault(
            *(None, request.names["count"], str(request.count)),
            f"The pool has {count_of(len(pool), 'clip')}. Ask for at most as many.",
        )
    clips = request.candidates(pool)
    names = request.names
    if request.reads_durations:
        absent = [clip for clip in clips if clip.seconds is None]
        yield from _missing(absent, pool.duration_column, "duration", "Write it in seconds")
        if not pool.duration_column:
            yield Fault(
                *(None, None, ""),
                "The pool has no column with durations, which are needed for"
                f" {names['durations']}. Add one ({names['duration_column']}).",
            )
    if request.most_per_group is not None:
        absent = [clip for clip in clips if not clip.group]
        yield from _missing(absent, pool.group_column, "group", "Write it")
        if not pool.group_column:
            yield Fault(
                *(None, names["most_per_group"], ""),
                f"No column with the groups of clips is given. Name it ({names['group_column']}).",
            )


def _missing(clips: Sequence[PoolClip], column: str, what: str, fix: str) -> Iterator[Fault]:
    """A fault for each clip that has nothing in a column, where there is one."""
    for clip in clips if column else ():
        text = f"The {what} of {in_quotes(clip.name)} is missing. {fix}, or remove the row."
        yield Fault(clip.line, column, "", text)


def _kept_tags(clips: Sequence[PoolClip], request: ChoiceRequest) -> frozenset[str]:
    counts = Counter(tag for clip in clips for tag in clip.tags)
    kept = (
        tag
        for tag, count in counts.items()
        if count >= request.fewest_clips and count / len(clips) >= request.least_share
    )
    return frozenset(kept).difference(request.ignored_tags)


def _is_in_range(clip: PoolClip, request: ChoiceRequest) -> bool:
    shortest, longest = request.shortest, request.longest
    if clip.seconds is None:
        return True
    return (shortest is None or clip.seconds >= shortest) and (
        longest is None or clip.seconds <= longest
    )


def _too_few(there: int, pool: ClipPool, request: ChoiceRequest) -> Fault:
    return Fault(
        *(None, request.names["count"], str(request.count)),
        f"Of {count_of(len(pool), 'clip')}, {there:,} have a duration in the range, a tag that"
        f" counts, and none of the excluded tags. Ask for fewer clips, a wider range"
        f" ({request.names['shortest']}, {request.names['longest']}), less for"
        f" {request.names['fewest_clips']} or {request.names['least_share']}, or exclude fewer tags"
        f" ({request.names['excluded_tags']}).",
    )


def _numbered(
    clips: tuple[PoolClip, ...], excluded: int, kept: frozenset[str], request: ChoiceRequest
) -> EligibleClips:
    tags = tuple(sorted(kept.intersection(tag for clip in clips for tag in clip.tags)))
    at = {tag: number for number, tag in enumerate(tags)}
    tags_of = tuple(
        np.array(sorted(at[tag] for tag in clip.tags if tag in at), dtype=np.int64)
        for clip in clips
    )
    edges = _edges(clips, request)
    bins = _bins(clips, edges)
    groups = _groups(clips, limited=request.most_per_group is not None)
    shares = np.array(request.duration_shares or (1.0,))
    places = places_in_bins(bins, groups, shares, request.count, request.most_per_group)
    if places.sum() < request.count:
        raise ChoiceRejected((_too_few_places(int(places.sum()), request),))
    return EligibleClips(clips, excluded, tags, tags_of, bins, groups, edges, places)


def _too_few_places(there: int, request: ChoiceRequest) -> Fault:
    return Fault(
        *(None, request.names["count"], str(request.count)),
        f"With the limit of a group, and without the clips of bins whose share is 0, there are"
        f" {count_of(there, 'clip')}. Ask for fewer, or for more with"
        f" {request.names['most_per_group']}.",
    )


def _edges(clips: tuple[PoolClip, ...], request: ChoiceRequest) -> tuple[float, ...]:
    """Seconds between which the bins are; none where durations do not matter."""
    seconds = [clip.seconds for clip in clips if clip.seconds is not None]
    if not request.duration_shares or not seconds:
        return ()
    low = min(seconds) if request.shortest is None else request.shortest
    high = max(seconds) if request.longest is None else request.longest
    return tuple(float(edge) for edge in np.linspace(low, high, len(request.duration_shares) + 1))


def _bins(clips: tuple[PoolClip, ...], edges: tuple[float, ...]) -> NDArray[np.int64]:
    """The bin of each clip: from its lower edge up to the upper, which the last one includes."""
    if not edges:
        return np.zeros(len(clips), dtype=np.int64)
    seconds = np.array([clip.seconds for clip in clips], dtype=np.float64)
    return np.searchsorted(np.array(edges[1:-1]), seconds, side="right").astype(np.int64)


def _groups(clips: tuple[PoolClip, ...], *, limited: bool) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    if not limited:
        return np.zeros(len(clips), dtype=np.int64)
    return np.array([numbers.setdefault(clip.group, len(numbers)) for clip in clips], np.int64)
