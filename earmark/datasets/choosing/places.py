"""How many clips each duration bin gets, where groups have a limit too."""

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Step = tuple[int, int]


class Places:
    """Clips taken from each bin and group, and what is left to take.

    ``available`` and ``taken``, shape (bins, groups), count clips; ``room``, shape (groups,),
    is how many more each group may have.
    """

    def __init__(self, bins: Numbers, groups: Numbers, most_per_group: int | None) -> None:
        shape = (int(bins.max()) + 1, int(groups.max()) + 1)
        self.available = np.zeros(shape, dtype=np.int64)
        np.add.at(self.available, (bins, groups), 1)
        self.taken = np.zeros(shape, dtype=np.int64)
        most = len(bins) if most_per_group is None else most_per_group
        self.room = np.full(shape[1], most, dtype=np.int64)

    def move(self, step: Step, amount: int) -> None:
        """Count a clip of a bin and a group as taken (1) or given back (-1)."""
        self.taken[step] += amount
        self.room[step[1]] -= amount

    def way_to_room(self, first: int) -> list[Step] | None:
        """A way to take one clip more of a bin: a clip for each step, which is a bin and a group.

        Where a step's group is full, the next step is of another bin, which gives back one of
        that group and takes one of the next. None where no exchange makes room: an augmenting
        path of the flow from bins to groups (Ford and Fulkerson 1956), found breadth first.
        """
        came: dict[int, tuple[int, int] | None] = {first: None}
        seen = np.zeros(len(self.room), dtype=np.bool_)
        queue = deque([first])
        while queue:
            at = queue.popleft()
            open_groups = (self.available[at] > self.taken[at]) & ~seen
            free = np.flatnonzero(open_groups & (self.room > 0))
            if len(free):
                return [*_back(came, at), (at, int(free[0]))]
            seen |= open_groups
            for group in np.flatnonzero(open_groups):
                for bin_number in np.flatnonzero(self.taken[:, group]):
                    if int(bin_number) not in came:
                        came[int(bin_number)] = (at, int(group))
                        queue.append(int(bin_number))
        return None


def _back(came: dict[int, tuple[int, int] | None], at: int) -> list[Step]:
    steps: list[Step] = []
    while (before := came[at]) is not None:
        steps.append(before)
        at = before[0]
    return steps[::-1]


def exchanges(way: list[Step]) -> Iterator[tuple[Step, Step | None]]:
    """Each step of a way: what is taken, and what the next bin gives back for it."""
    for number, (bin_number, group) in enumerate(way):
        following = way[number + 1] if number + 1 < len(way) else None
        yield (bin_number, group), None if following is None else (following[0], group)


def places_in_bins(
    bins: Numbers,
    groups: Numbers,
    shares: NDArray[np.float64],
    count: int,
    most_per_group: int | None,
) -> Numbers:
    """How many clips each bin gets, shape (bins,): ``count`` in all, or as many as there can be.

    ``bins`` and ``groups`` number those of each clip. Places are given one by one to the bin
    that is furthest behind its share (Sainte-Laguë's highest averages); a bin that can get no
    more leaves its share to the others.
    """
    places = Places(bins, groups, most_per_group)
    given = np.zeros(len(shares), dtype=np.int64)
    open_bins = shares > 0
    open_bins[places.available.shape[0] :] = False
    while given.sum() < count and open_bins.any():
        averages = np.where(open_bins, shares / (2 * given + 1), -1.0)
        first = int(averages.argmax())
        way = places.way_to_room(first)
        if way is None:
            open_bins[first] = False
            continue
        for taken, back in exchanges(way):
            places.move(taken, 1)
            if back is not None:
                places.move(back, -1)
        given[first] += 1
    return given
