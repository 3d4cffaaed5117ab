"""Rules that are looked up give what spaCy gives when it runs them on every caption."""

from pathlib import Path

import pytest

from scoring.captions import read_references
from scoring.text.parse import ParsedToken, Parser, load_pipeline, parse
from scoring.text.word_attributes import first_of_several
from scoring.workspace import Workspace

PAIRS = (
    "people say they are gonna leave",
    "he says let's go",
    "that ain't a dog",
    "they gotta run",
    "let us say that a dog barks",
    "y' all listen",
    "there is a dog and there are cats",
    "a dog ai n't barking",
    "someone got a dog",
)
DEMO = Path(__file__).parents[2] / "leaderboard" / "demo" / "data" / "references.csv"


def demo_captions() -> tuple[str, ...]:
    references = read_references(DEMO.read_bytes()).value
    assert references is not None
    return tuple(references.captions)[:200]


def plain(text: str, parser: Parser) -> tuple[ParsedToken, ...]:
    return tuple(
        ParsedToken(t.lower_, t.lemma_.lower(), t.tag_, t.pos_, t.dep_, t.head.i)
        for t in load_pipeline(parser=parser)(text)
    )


@pytest.mark.parametrize("parser", ["general", "captions"])
def test_what_is_looked_up_is_what_the_rules_say(parser: Parser) -> None:
    texts = [*PAIRS, *demo_captions(), *PAIRS]
    # The second time every word is known.
    for _ in range(2):
        found = parse(texts, Workspace(), dressed=False, parser=parser)
        assert found == [plain(text, parser) for text in texts]


def test_first_words_are_those_of_rules_about_several() -> None:
    begins = first_of_several(
        [
            {"patterns": [[{"LOWER": "gon"}, {"LOWER": "na"}], [{"LOWER": "dog"}]]},
            {"patterns": [[{"LOWER": {"REGEX": "^y'?$"}}, {"LOWER": "all"}]]},
            {"patterns": [[{"DEP": "expl"}, {"LOWER": "is"}]]},
        ]
    )
    assert begins("gon", "aux")
    assert begins("y", "nsubj")
    assert begins("there", "expl")
    assert not begins("dog", "nsubj")
    with pytest.raises(ValueError, match="any word"):
        first_of_several([{"patterns": [[{"TAG": "NN"}, {"LOWER": "na"}]]}])
