"""The human row takes one reference from each clip and leaves the others."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.captions import References
from scoring.captions.corpus import one_reference_against_others
from scoring.pipeline import score_family
from scoring.workspace import Workspace

CAPTION = st.text("ab ", min_size=1, max_size=6)
CLIPS = st.lists(st.lists(CAPTION, min_size=1, max_size=4), min_size=1, max_size=6)


@given(CLIPS, st.integers(0, 5))
def test_nothing_is_lost_and_nothing_added(captions: list[list[str]], seed: int) -> None:
    references = References.build((f"{i}.wav", texts) for i, texts in enumerate(captions))
    plural = [clip for clip in references.clips if len(clip.references) > 1]
    if not plural:
        with pytest.raises(ValueError, match="two references"):
            one_reference_against_others(references, seed=seed)
        return
    said, others = one_reference_against_others(references, seed=seed)
    assert others.file_names == tuple(clip.file_name for clip in plural)
    for clip, caption, left in zip(plural, said.first, others.clips, strict=True):
        assert Counter(clip.references) == Counter([caption, *left.references])


def test_the_draw_depends_on_the_seed_alone() -> None:
    references = References.build((f"{i}.wav", list("abcde")) for i in range(30))
    drawn = [one_reference_against_others(references, seed=seed)[0].first for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) > 1


def test_rarity_is_still_counted_over_all_references() -> None:
    rows = [("a.wav", ["a dog barks", "one dog barks"]), ("b.wav", ["rain falls", "it rains"])]
    whole = References.build([*rows, ("c.wav", ["a dog sleeps"])])
    said, others = one_reference_against_others(whole)
    value = score_family("cider_d", said, others, Workspace())["cider_d"].per_clip[0]
    said, others = one_reference_against_others(References.build(rows))
    assert value != score_family("cider_d", said, others, Workspace())["cider_d"].per_clip[0]
