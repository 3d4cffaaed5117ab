"""What a subset keeps up to date is what is computed anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets.choosing import tag_entropy
from scoring.datasets.choosing.subset import Subset, TagTable
from tests.scoring.datasets.choosing.made_pools import tag_sets


def table_of(clips: list[list[int]]) -> TagTable:
    ordered = sorted(clips, key=len)
    nowhere = np.zeros(len(clips), dtype=np.int64)
    return TagTable([np.array(tags, dtype=np.int64) for tags in ordered], nowhere, nowhere, 8)


def computed(table: TagTable, clips: list[int]) -> float:
    tags = np.concatenate([table.tags_of[clip] for clip in clips])
    return tag_entropy(np.bincount(tags, minlength=8))


@given(tag_sets, st.lists(st.integers(0, 8), max_size=30))
def test_entropy_and_best_additions_after_any_changes(
    clips: list[list[int]], changes: list[int]
) -> None:
    table = table_of(clips)
    subset = Subset(table, np.array([len(clips)]), None)
    for change in changes:
        clip = change % len(clips)
        (subset.remove if subset.chosen[clip] else subset.add)(clip)
    chosen = np.flatnonzero(subset.chosen).tolist()
    others = np.flatnonzero(~subset.chosen).tolist()
    assert subset.entropy == pytest.approx(computed(table, chosen) if chosen else 0, abs=1e-9)
    best = subset.best_addition()
    if not others:
        assert best is None
        return
    assert best is not None
    highest = max(computed(table, [*chosen, other]) for other in others)
    assert computed(table, [*chosen, best]) == pytest.approx(highest, abs=1e-9)
    for clip in chosen:
        rest = [one for one in chosen if one != clip]
        entropy, other = subset.best_exchange(clip)
        assert other in others
        highest = max(computed(table, [*rest, one]) for one in others)
        assert entropy == pytest.approx(highest, abs=1e-9)
        assert computed(table, [*rest, other]) == pytest.approx(highest, abs=1e-9)
