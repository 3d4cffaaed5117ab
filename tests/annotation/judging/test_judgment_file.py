"""Whatever was judged, the benchmark reads the file back as it was."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from annotation.selectors.judging.judgment_file import judgment_file
from annotation.selectors.judging.votes import JudgedPair
from scoring.benchmark import read_judgments
from scoring.captions.caption_checks import has_words

REFERENCES = [[f"person {number} on {clip}" for number in range(3)] for clip in range(4)]
# What a submission may hold.
CAPTION = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20).filter(
    has_words
)
VOTES = st.dictionaries(st.integers(1, 9), st.sampled_from([1, 0, -1]), min_size=1, max_size=5)


@st.composite
def judged(draw: st.DrawFn) -> JudgedPair:
    clip, facet = draw(st.integers(0, 3)), draw(st.sampled_from(["HC", "HI", "HM", "MM"]))
    own: dict[str, Any] = {"clip": clip, "reference": draw(st.integers(0, 2))}
    own_text = REFERENCES[clip][own["reference"]]
    machine: dict[str, Any] = {"system": draw(st.sampled_from(["x", "y"]))}
    first = (own, own_text) if facet != "MM" else (machine, draw(CAPTION))
    if facet == "HC":
        at = (own["reference"] + 1) % 3
        second = ({"clip": clip, "reference": at}, REFERENCES[clip][at])
    elif facet == "HI":
        second = ({"clip": (clip + 1) % 4, "reference": 0}, REFERENCES[(clip + 1) % 4][0])
    else:
        second = (machine, draw(CAPTION))
    sides = draw(st.permutations([first, second]))
    return JudgedPair(
        clip,
        facet,
        (str(sides[0][1]), str(sides[1][1])),
        (sides[0][0], sides[1][0]),
        draw(VOTES),
    )


@given(st.lists(judged(), min_size=1, max_size=20))
def test_pairs_come_back_with_their_captions_references_and_votes(pairs: list[JudgedPair]) -> None:
    read = read_judgments(judgment_file(pairs, dict(enumerate(REFERENCES))))
    told = sorted((pair.facet, pair.first.caption, pair.truth) for pair in read.pairs)
    assert told == sorted(
        (pair.facet, pair.in_order.captions[0], float(sum(pair.in_order.votes.values())))
        for pair in pairs
    )
    for pair in read.pairs:
        assert pair.first.caption not in pair.first.references or pair.facet == "MM"


@given(judged())
def test_a_persons_caption_and_the_clips_own_come_first(pair: JudgedPair) -> None:
    turned = pair.in_order
    if pair.facet in {"HI", "HM"}:
        assert turned.sources[0].get("clip") == pair.clip
    assert (
        dict(zip(turned.captions, map(str, turned.sources), strict=True))
        == dict(zip(pair.captions, map(str, pair.sources), strict=True))
        or pair.captions[0] == pair.captions[1]
    )
    assert turned.in_order == turned
