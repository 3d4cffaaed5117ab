"""Random small data sets of captions, groups and parts."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from earmark.datasets.splitting import Part
from earmark.datasets.splitting.words import Integers

captions = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=5).map(" ".join)
clip = st.lists(captions, min_size=1, max_size=2)
clips = st.lists(clip, min_size=6, max_size=24)
shares = st.sampled_from([(6, 2, 2), (1, 1), (8, 1, 1), (1, 3, 2), (4, 2, 2, 2)])


def parts_of(weights: tuple[int, ...]) -> tuple[Part, ...]:
    """Parts p0, p1 and so on with shares in these proportions."""
    return tuple(
        Part(f"p{number}", Fraction(weight, sum(weights))) for number, weight in enumerate(weights)
    )


@st.composite
def groupings(draw: st.DrawFn, count: int) -> Integers:
    """Numbers of groups, most of them of one clip, in the order of first clips."""
    raw = draw(st.lists(st.integers(0, 2 * count), min_size=count, max_size=count))
    numbers = {group: number for number, group in enumerate(dict.fromkeys(raw))}
    return np.array([numbers[group] for group in raw])
