"""Parsed captions that the parser learns from: rewritten, composed, and as they are."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.metrics.spice.repair import consistent, repaired
from scoring.text.parser import ParsedToken, normalise
from scoring.train.parser.compositions import Clause, Composer, composed
from scoring.train.parser.tense import ReadWord, Sentence, below, in_present_tense, without
from scoring.train.parser.verb_forms import is_participle_of

_COMPLEMENTS = {"xcomp", "ccomp", "acomp", "attr", "dative"}
_OF_NOUNS = {"dobj", "pobj", "nsubj", "nsubjpass", "amod", "compound", "appos"}
_PRONOUNS = {"WDT", "WP"}
# "as a dog barks" is a clause: where the parser takes it for a phrase it misreads the verb.
_CLAUSE_OPENERS = {"as", "while", "when"}


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A caption that the parser reads rightly, in the present tense, and its verbs there."""

    before: Sentence
    after: Sentence
    verbs: tuple[int, ...]


def parsed_sentences(captions: Iterable[str], pipeline: Any) -> list[Sentence]:
    """Captions in their usual dress with the pipeline's parse, where it looks right.

    Left out are captions with hyphens, apostrophes or figures, which SPICE's tokens split
    elsewhere, and those with a slip that grammar alone shows.
    """
    texts = list(dict.fromkeys(filter(None, map(normalise, captions))))
    found = (_sentence(document) for document in pipeline.pipe(texts, batch_size=256))
    return [sentence for sentence in found if _looks_right(sentence)]


def _sentence(document: Any) -> Sentence:
    return tuple(ReadWord(t.text, t.lemma_.lower(), t.tag_, t.dep_, t.head.i) for t in document)


def _looks_right(sentence: Sentence) -> bool:
    if not all(word.text.isalpha() or word.text in ".," for word in sentence):
        return False
    parse = tuple(ParsedToken(w.text.lower(), w.lemma, w.tag, "", w.dep, w.head) for w in sentence)
    same = all(
        one.tag == two.tag for one, two in zip(parse, repaired(consistent(parse)), strict=True)
    )
    phrases = (
        word
        for i, word in enumerate(sentence)
        if word.text.lower() in _CLAUSE_OPENERS
        and any(sentence[j].dep == "pobj" for j in below(sentence, i))
    )
    return same and is_one_tree(sentence) and not any(phrases)


def is_one_tree(sentence: Sequence[ReadWord]) -> bool:
    """Whether there is one root and no mark governs anything."""
    roots = [i for i, word in enumerate(sentence) if word.head == i]
    return len(roots) == 1 and all(sentence[word.head].text.isalpha() for word in sentence)


def rewritten_captions(sentences: Iterable[Sentence]) -> list[Rewritten]:
    """Those that can be put in the present tense, in order."""
    found = ((sentence, *in_present_tense(sentence)) for sentence in sentences)
    return [
        Rewritten(before, after, verbs)
        for before, after, verbs in found
        if verbs and is_one_tree(after) and not any(map(_is_odd, after))
    ]


def _is_odd(word: ReadWord) -> bool:
    """Whether a finite verb stands where a noun should."""
    return word.tag in {"VBZ", "VBP"} and word.dep in _OF_NOUNS


def lower_without_marks(sentence: Sentence) -> Sentence:
    """The sentence as SPICE reads it: lower case, no punctuation."""
    marks = {i for i, word in enumerate(sentence) if not word.text[-1:].isalpha()}
    return tuple(replace(word, text=word.text.lower()) for word in without(sentence, marks))


def training_sentences(
    sentences: Sequence[Sentence],
    *,
    composed_share: float,
    kept_share: float,
    rng: random.Random,
) -> list[Sentence]:
    """What is learned from: rewritten captions, compositions, captions with their own parse.

    Each as it is dressed and in lower case without marks. The shares are relative to the
    number of rewritten captions.
    """
    rewritten = rewritten_captions(sentences)
    clauses = [
        clause
        for one in rewritten
        for verb in one.verbs
        if (clause := short_clause(one.after, verb, rng)) is not None
    ]
    verbs = Counter(
        word.lemma
        for sentence in sentences
        for word in sentence
        if word.tag == "VBG" and is_participle_of(word.text.lower(), word.lemma)
    )
    known = sorted(lemma for lemma, count in verbs.items() if count > 1)
    composer = Composer(list(dict.fromkeys(clauses)), known, rng)
    made = composed(composer, int(composed_share * len(rewritten))) if clauses and known else []
    kept = rng.sample(sentences, min(len(sentences), int(kept_share * len(rewritten))))
    chosen = [one.after for one in rewritten] + made + kept
    return chosen + [lower_without_marks(sentence) for sentence in chosen]


def short_clause(sentence: Sentence, verb: int, rng: random.Random) -> Clause | None:
    """A verb with its subject and object alone, at times with its particle and one phrase more.

    In lower case, without a full stop.
    """
    subjects = [j for j in below(sentence, verb) if sentence[j].dep == "nsubj" and j < verb]
    if len(subjects) != 1 or sentence[subjects[0]].tag in _PRONOUNS:
        return None
    after = [j for j in below(sentence, verb) if j > verb]
    kept = {verb, *subtree(sentence, subjects[0])}
    if max(kept) != verb or any(sentence[j].dep in _COMPLEMENTS for j in after):
        return None
    phrases = [j for j in after if sentence[j].dep == "prep"]
    chosen = [j for j in after if sentence[j].dep in {"prt", "dobj"}]
    chosen += phrases[:1] if rng.random() < 0.5 else []
    for j in chosen:
        kept |= set(subtree(sentence, j))
    kept -= _droppable(sentence, subjects[0], rng)
    alone = [
        replace(word, dep="ROOT", head=i) if i == verb else replace(word, text=word.text.lower())
        for i, word in enumerate(sentence)
    ]
    return without(alone, set(range(len(sentence))) - kept)


def _droppable(sentence: Sentence, subject: int, rng: random.Random) -> set[int]:
    """An article before a plural or after "the", which captions often go without."""
    articles = {
        j
        for j in below(sentence, subject)
        if sentence[j].dep == "det"
        and (sentence[subject].tag == "NNS" or sentence[j].text.lower() == "the")
    }
    return articles if rng.random() < 0.7 else set()


def subtree(sentence: Sentence, i: int) -> list[int]:
    """A word and all that hangs on it."""
    found = [i]
    for j in found:
        found += below(sentence, j)
    return sorted(found)
