"""The PTB tokens are those of COCO's evaluation, without Java.

Expected tokens (oracles/ptb_tokens.json) are the output of Stanford PTBTokenizer 3.4.1
(stanford-corenlp-3.4.1.jar of pycocoevalcap 1.2, Java 17.0.15) with -preserveLines -lowerCase,
less COCO's punctuation.
"""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.text.ptb import PUNCTUATION, automaton, lexer, parts, shared_lexer, tokenize
from tests.real_data import ROOT

CASES = json.loads((ROOT / "tests/earmark/oracles/ptb_tokens.json").read_text())
CAPTION_PIECES = [
    *("a dog barks", "the U.S.", "Dr.", "a.m.", "3.5kHz", "10-20", "5'10", "50%", "$5", "w/"),
    *("etc.", "can't", "it\u2019s", "cannot", "'", '"', "(", ")", "[", "...", "\u2026", "--"),
    *("\u2014", "&amp;", "<b>", "http://x.org/a", "me@x.com", "1/2", "\U0001f600", "\u00ad"),
    *(",", ".", " ", "\t", "\n"),
]
captions = st.lists(st.sampled_from(CAPTION_PIECES)).map("".join)
any_text = st.text(st.characters(exclude_categories=())) | captions
plain_words = st.lists(
    st.sampled_from([*parts.TITLES.split(), *parts.COMMON.split(), "cannot", "a"])
    | st.from_regex(r"[A-Za-z]{1,8}", fullmatch=True)
)


@pytest.mark.parametrize(("caption", "expected"), CASES)
def test_a_caption_gets_the_tokens_that_java_gives(caption: str, expected: str) -> None:
    assert " ".join(tokenize(caption)) == expected


def test_every_clotho_caption_gets_the_tokens_that_java_gives(shared_data: Path) -> None:
    oracle = shared_data / "oracles" / "ptb_tokens_clotho.tsv.gz"
    with gzip.open(oracle, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    wrong = [(caption, tokens) for caption, tokens in rows if " ".join(tokenize(caption)) != tokens]
    assert len(rows) >= 29614
    assert wrong == []


@given(any_text)
def test_tokens_are_lower_case_without_spaces_or_punctuation(text: str) -> None:
    for token in tokenize(text):
        assert token
        assert " " not in token
        assert token == token.lower()
        assert token not in PUNCTUATION


@given(plain_words)
def test_plain_words_are_tokens_already(words: list[str]) -> None:
    tokens = tokenize(" ".join(words))
    assert tokenize(" ".join(tokens)) == tokens


@given(captions, captions)
def test_a_line_break_is_a_blank(before: str, after: str) -> None:
    assert tokenize(f"{before}\n{after}") == tokenize(f"{before} {after}")


@given(plain_words, st.sampled_from([" ", ", "]), captions)
def test_the_short_cut_for_plain_words_changes_nothing(
    words: list[str], blank: str, rest: str
) -> None:
    text = blank.join([*words, rest])
    with pytest.MonkeyPatch.context() as patch:
        quick = list(shared_lexer().tokens(text))
        patch.setattr(lexer, "PLAIN_RUN", re.compile("(?!)"))
        assert list(shared_lexer().tokens(text)) == quick


# What the rules look at from afar: ends of addresses, tags, numbers, half of a character.
KNOTTY = ["\U0001f415", "a", "B.", "1", "-", ".", "@", "<", "&", "/", "'", " ", "\u0301", "http://"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(KNOTTY), max_size=60).map("".join)))
def test_what_was_looked_at_in_vain_is_noted_and_changes_nothing(caption: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automaton, "FAR", 0)
        noted = tokenize(caption)
        patch.setattr(automaton, "FAR", 1 << 30)
        assert noted == tokenize(caption)


def test_a_run_without_an_end_is_not_looked_at_from_each_of_its_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half a million steps for a thousand emoji: a file of them would take minutes."""
    looked = 0
    real = automaton.Machine._note

    def counted(*arguments: Any) -> None:
        nonlocal looked
        looked += 1
        real(*arguments)

    monkeypatch.setattr(automaton.Machine, "_note", staticmethod(counted))
    tokenize("a" + "\U0001f415" * 998)
    assert 1 <= looked <= 3
