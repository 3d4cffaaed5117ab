"""Checking sets and single captions: places, identity, order, hostile texts, growth."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from earmark.datasets.findings import (
    WRITING_KINDS,
    CheckedCaptions,
    CheckFinding,
    CheckOptions,
    LengthsImpossible,
    PlacedCaption,
    UnknownFindingKind,
    check_caption,
    check_captions,
)
from earmark.workspace import Workspace
from tests.earmark.datasets.findings.placed_captions import placed

WORKSPACE = Workspace()
FRAGMENTS = (
    *("says", "in Spanish", "about", "A", "dog", "barks", "non-stop", "non stop", "nonstop"),
    *("it's", "I hear", "there is", '"', "'", "\u2019", "Lonndon", "London", ",", ".", "-"),
    *("e\u0301", "\U0001f415", "\ud800", "\0", "\u200d", "\n", "\u0130", "\ufb01", "\u0928\u093f"),
    *("2nd", "cooo", "THE", "\u1e9e", "\u3000", "tells a dog to", "foreign language"),
)
TEXTS = st.one_of(
    st.text(st.characters(), max_size=60),
    st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(" ".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join),
)


def check_places(findings: Sequence[CheckFinding], captions: Sequence[PlacedCaption]) -> None:
    for one in findings:
        assert one.caption in captions
        assert 0 <= one.start <= one.end <= len(one.caption.text)
        assert one.text == one.caption.text[one.start : one.end]
        assert one.text or one.kind == "length"
        assert all(isinstance(text, str) for text in one.suggestions)
        assert one.text not in one.suggestions
    assert len(set(findings)) == len(findings)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=4))
@example([["\ud800 says \ud800", "e\u0301\u0301 It's"], ["\U0001f415\U0001f415 non-stop nonstop"]])
@example([["", " ", "\0"], ["\u0130stanbul I\u0307 \ufb01re"]])
def test_places_are_slices_of_any_text(clips: list[list[str]]) -> None:
    captions = tuple(placed((f"{n}.wav", texts) for n, texts in enumerate(clips)))
    checked = CheckedCaptions(captions, workspace=WORKSPACE)
    findings = list(check_captions(checked, kinds=["all"]))
    check_places(findings, captions)
    again = list(check_captions(CheckedCaptions(captions), kinds=["all"]))
    assert again == findings
    for caption in captions:
        alone = check_caption(caption, checked, kinds=["all"])
        assert alone == [one for one in findings if one.caption == caption]


def test_findings_stand_in_the_order_of_the_set_then_by_place() -> None:
    clips = [("b.wav", ["It's a dgo, isn't it"]), ("a.wav", ["A cta says hello"])]
    findings = list(check_captions(CheckedCaptions(placed(clips)), kinds=["all"]))
    shown = [(one.caption.file_name, one.start) for one in findings if one.kind != "length"]
    assert [name for name, _ in shown] == sorted((name for name, _ in shown), reverse=True)
    for name in ("a.wav", "b.wav"):
        places = [start for of, start in shown if of == name]
        assert places == sorted(places)
        assert places


def test_a_finding_does_not_depend_on_the_rest_of_the_set() -> None:
    clip = ("a.wav", ["A motorcyle passes"])
    alone = next(check_captions(CheckedCaptions(placed([clip])), kinds=["spelling"]))
    others = [("0.wav", ["A motorcycle honks"] * 3), clip]
    among = next(check_captions(CheckedCaptions(placed(others)), kinds=["spelling"]))
    place = (alone.caption, alone.kind, alone.start, alone.end)
    assert place == (among.caption, among.kind, among.start, among.end)
    assert place == (PlacedCaption("a.wav", 1, clip[1][0]), "spelling", 2, 11)


def test_json_has_what_is_documented() -> None:
    (found,) = check_captions(
        CheckedCaptions(placed([("a.wav", ["It's a dog"])])), kinds=["contraction"]
    )
    assert found.to_json() == {
        "file_name": "a.wav",
        "caption": "It's a dog",
        "kind": "contraction",
        "start": 0,
        "end": 4,
        "text": "It's",
        "suggestions": ["It is", "It has", "Its"],
    }


def test_a_caption_being_written_is_compared_with_the_set_and_counted_nowhere() -> None:
    captions = CheckedCaptions(placed([("a.wav", ["A dog barks"]), ("b.wav", ["A cat meows"])]))
    draft = PlacedCaption("c.wav", 1, "a dog barks")
    assert [one.kind for one in check_caption(draft, captions)] == ["length", "same_text"]
    assert captions.word_counts["dog"] == 1
    second = PlacedCaption("a.wav", 2, "The dog is barking")
    assert [one.kind for one in check_caption(second, captions)] == ["duplicate", "length"]
    changed = PlacedCaption("a.wav", 1, "The dog is barking")
    assert [one.kind for one in check_caption(changed, captions)] == ["length"]


def test_while_writing_no_other_caption_is_parsed() -> None:
    workspace = Workspace()
    captions = CheckedCaptions(placed([("a.wav", ["A dog barks"])]), workspace=workspace)
    check_caption(PlacedCaption("b.wav", 1, "A cat from Rome"), captions, kinds=WRITING_KINDS)
    assert set(workspace.memo("parses in place")) == {"A cat from Rome"}


def test_each_distinct_caption_is_parsed_once() -> None:
    counted: list[tuple[int, int]] = []
    captions = CheckedCaptions(placed((f"{n}.wav", ["A dog barks", "A cat"]) for n in range(50)))
    list(check_captions(captions, heartbeat=lambda done, total: counted.append((done, total))))
    assert counted == [(2, 2)]


def test_unknown_kinds_and_impossible_lengths_are_refused() -> None:
    with pytest.raises(UnknownFindingKind, match=r'no kind of finding "speling".*spelling'):
        list(check_captions(CheckedCaptions([]), kinds=["length", "speling"]))
    with pytest.raises(LengthsImpossible, match="at least 9 and at most 8"):
        CheckOptions(min_words=9, max_words=8)


HOSTILE = {
    "one word": "x" * 10_000,
    "unknown words": " ".join(
        f"q{chr(97 + n % 26)}zx{chr(97 + n // 26 % 26)}wv" for n in range(1250)
    ),
    # Of these fewer: spaCy takes four times as long for twice as many.
    "quotation marks": '"' * 3_000,
    "single quotation marks": "' a" * 1_200,
    "hyphens": "a-" * 1_500,
    "surrogates": "\ud83d" * 2_000,
    "openings": "there is " * 1_100,
    "sayings": "says about in language " * 430,
    "contractions": "it's " * 2_000,
    "adverbs": "say " + "softly " * 1_400,
    "names": "A " + "London Paris " * 760,
    "combining marks": "e" + "\u0301" * 9_999,
    "emoji": "\U0001f468\u200d\U0001f469" * 1_200,
    "blanks": " " * 10_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_captions(text: str) -> None:
    captions = tuple(placed([("a.wav", [text, text[::-1]]), ("b.wav", ["A dog barks"])]))
    check_places(list(check_captions(CheckedCaptions(captions), kinds=["all"])), captions)


def test_what_stands_beyond_ten_thousand_characters_is_not_looked_at() -> None:
    text = "dog " * 2_500 + "motorcyle"
    found = check_captions(
        CheckedCaptions(placed([("a.wav", [text])])), kinds=["spelling", "length"]
    )
    assert [(one.kind, one.end) for one in found] == [("length", len(text))]
