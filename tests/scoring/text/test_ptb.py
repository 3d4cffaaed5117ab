"""The PTB tokens are those of COCO's evaluation, without Java.

Expected tokens are the output of Stanford PTBTokenizer 3.4.1 (stanford-corenlp-3.4.1.jar of
pycocoevalcap 1.2, Java 17.0.15) with -preserveLines -lowerCase, less COCO's punctuation.
"""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text.ptb import PUNCTUATION, automaton, lexer, parts, shared_lexer, tokenize
from scoring.text.ptb.automaton import NO_MATCH, Machine
from scoring.text.ptb.pattern import MalformedRule, read_pattern

CASES = (
    ("A dog barks, and a man speaks.", "a dog barks and a man speaks"),
    ("It's raining; the dog's owner can't hear.", "it 's raining the dog 's owner ca n't hear"),
    ("The dogs' bowls don\u2019t clatter.", "the dogs bowls do n't clatter"),
    (
        "I cannot hear what they\u2019re gonna say, wanna bet?",
        "i can not hear what they 're gon na say wan na bet",
    ),
    ("'Tis loud. 'Twas louder.", "'t is loud 't was louder"),
    ("She said \"hello there\" and 'goodbye now'.", "she said hello there and goodbye now"),
    ("\u201cCurly quotes\u201d and \u2018single ones\u2019", "curly quotes and single ones"),
    ("Rock 'n' roll o'clock y'all ma'am", "rock 'n' roll o'clock y' all ma'am"),
    ("A colour television favours grey noise", "a colour television favours grey noise"),
    (
        "Dr. Smith's radio plays at 5 a.m. in the U.S.",
        "dr. smith 's radio plays at 5 a.m. in the u.s.",
    ),
    ("In the U.S. The crowd cheers", "in the u.s. the crowd cheers"),
    ("Vitamin C. A dog barks", "vitamin c a dog barks"),
    ("He sings in C.", "he sings in c."),
    ("Birds, insects, etc. are heard", "birds insects etc. are heard"),
    ("Cars pass etc.", "cars pass etc."),
    ("Fig. 3 and No. 5 but no. Then yes", "fig. 3 and no. 5 but no then yes"),
    (
        "St. John's bells, Mr. and Mrs. Jones vs. Acme Inc. and Co. Ltd.",
        "st. john 's bells mr. and mrs. jones vs. acme inc. and co. ltd.",
    ),
    ("A tone at 3.5kHz for 10-20 seconds", "a tone at 3.5 khz for 10-20 seconds"),
    (
        "A 50Hz hum at 50%, worth $5 or £5 or €5 or 50¢",
        "a 50hz hum at 50 % worth $ 5 or # 5 or $ 5 or 50 cents",
    ),
    ("Half: 1/2, 5 1/2, ½, ⅔ and ¼", "half 1/2 5\u00a01/2 1/2 2/3 and 1/4"),
    (
        "At 10:30, on 12/25/2012, 1,000.50 times, -5 or +5",
        "at 10:30 on 12/25/2012 1,000.50 times -5 or +5",
    ),
    ("The 1990s, the '90s, the 80's and 5'10", "the 1990s the '90s the 80 's and 5 '10"),
    (
        "Call (555) 123-4567 or 555-1234 or 415 555 1234",
        "call -lrb-555-rrb-\u00a0123-4567 or 555-1234 or 415\u00a0555\u00a01234",
    ),
    (
        "A man/woman speaks w/ echo and/or reverb, 24/7",
        "a man/woman speaks w / echo and/or reverb 24/7",
    ),
    (
        "A high-pitched beep-beep, tick-tock and woof-woof-woof.",
        "a high-pitched beep-beep tick-tock and woof-woof-woof",
    ),
    (
        "A twenty-one-gun salute -- then silence - then -5 degrees",
        "a twenty-one-gun salute then silence then -5 degrees",
    ),
    ("Silence… then a bang... and . . . a thud.. ok", "silence then a bang and a thud ok"),
    (
        "Wind\u2014loud\u2014blows \u2013 softly ---- here ----- there",
        "wind loud blows softly here ----- there",
    ),
    (
        "(laughter) [music] {noise} <noise>",
        "-lrb- laughter -rrb- -lsb- music -rsb- -lcb- noise -rcb- <noise>",
    ),
    (
        "See http://www.example.com/a?b=1, www.example.co.uk, example.com or foo.wav.",
        "see http://www.example.com/a?b=1 www.example.co.uk example.com or foo.wav",
    ),
    ("Mail me@example.com or @someone #hashtag", "mail me@example.com or @someone #hashtag"),
    (
        "AT&T and R&amp;B, salt &amp; pepper &lt;b&gt; &quot;hi&quot; &nbsp; x",
        "at&t and r&b salt & pepper < b > hi x",
    ),
    ("Powell And O&#39;Farrell", "powell and o &#39; farrell"),
    (
        '<b>bold</b> and <a href="x y">link</a> <br />',
        '<b> bold </b> and <a\u00a0href="x\u00a0y"> link </a> <br\u00a0/>',
    ),
    ("Nice :) and :-( and ^_^ and (-_-)", "nice :-rrb- and :--lrb- and ^_^ and -lrb--_--rrb-"),
    ("C++ and C# and A.B.C. and Ph.D. and a.k.a.", "c++ and c# and a.b.c. and ph.d. and a.k.a."),
    ("WHAT?! A LOUD BANG!!! HEY...", "what ?! a loud bang !!! hey"),
    ("hello.world end.Start no,space yes;no", "hello.world end.start no space yes no"),
    ("don\u00adt co\u00adop \u00ad", "dont coop"),
    ("café naïve über 中文 слово", "café naïve über 中文 слово"),
    ("Noise 😀 at 10°C \u2014 5μs 2² H₂O", "noise at 10 ° c 5μs 2 ² h ₂ o"),
    (
        "Sound * effects ** here # 1 @ home ~ 5 _ a_b a+b = c \\ d ^ |",
        "sound * effects ** here # 1 @ home ~ 5 _ a_b a + b = c \\ d ^ |",
    ),
    (
        "non-stop pro-war anti-noise e-mail -LRB- S&P-500 Cap'n",
        "non-stop pro-war anti-noise e-mail -lrb- s&p-500 cap'n",
    ),
    ("the dog 's bark did n't stop", "the dog 's bark did n't stop"),
    ("Someone says, \u2018Don\u2019t\u2019, twice", "someone says do n't twice"),
    ("''double'' ``latex''  «guillemets» \u201elow\u201c", "double latex guillemets \u201e low"),
    ("tab\tand no-break space", "tab and no-break space"),
    ("d'you l'eau O'Brien's D'Arcy shi'ite ne'er", "d'you l'eau o'brien 's d'arcy shi'ite ne'er"),
    ("1st 2nd 3-D 4x4 x2 9mm 5ft. 6 ft. tall", "1st 2nd 3-d 4x4 x2 9mm 5ft 6 ft. tall"),
    ("beep beep beep.beep", "beep beep beep.beep"),
    ("   ", ""),
    ("...", ""),
    ("😀", ""),
    (".5 seconds, 5.", ".5 seconds 5"),
    ("end of line (", "end of line -lrb-"),
    ("Gimme! Lemme. Gotta go", "gim me lem me got ta go"),
    ("THE DOG'S CAN'T WON'T I'LL", "the dog 's ca n't wo n't i 'll"),
    ("a/b/c/d http://x mp3.", "a/b/c / d http / / x mp3"),
)

CAPTION_PIECES = [
    *(
        "a dog barks",
        "the U.S.",
        "Dr.",
        "a.m.",
        "3.5kHz",
        "10-20",
        "5'10",
        "50%",
        "$5",
        "w/",
        "etc.",
    ),
    *(
        "can't",
        "it\u2019s",
        "cannot",
        "'",
        '"',
        "(",
        ")",
        "[",
        "...",
        "\u2026",
        "--",
        "\u2014",
        "&amp;",
    ),
    *(
        "<b>",
        "http://x.org/a",
        "me@x.com",
        "1/2",
        "\U0001f600",
        "\u00ad",
        ",",
        ".",
        " ",
        "\t",
        "\n",
    ),
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


def test_the_longest_match_wins_then_the_first_rule() -> None:
    machine = Machine([read_pattern(rule, {}) for rule in ("ab", "[a-c]{2}", "abc+", "b?a?")])
    assert machine.longest("xAB", 1) == (0, 3)
    assert machine.longest("ac", 0) == (1, 2)
    assert machine.longest("abccd", 0) == (2, 4)
    assert machine.longest("d", 0) == (NO_MATCH, 0)


def test_literals_match_either_case_and_classes_only_theirs() -> None:
    machine = Machine([read_pattern("k[k]", {})])
    assert machine.longest("Kk", 0) == (0, 2)
    assert machine.longest("\u212ak", 0) == (0, 2)
    assert machine.longest("kK", 0) == (NO_MATCH, 0)


@pytest.mark.parametrize("rule", ["(a", "a)", "a\\", "[a", "[a-", "a{2", "{", "\\u12"])
def test_a_malformed_rule_is_refused(rule: str) -> None:
    with pytest.raises(MalformedRule):
        read_pattern(rule, {})
