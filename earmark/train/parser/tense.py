"""Captions in the progressive, rewritten in the present tense with their parse.

The parser reads "a tap is dripping" and "a tap dripping" rightly and "a tap drips" often
wrongly ("drips" is a plural noun, too). What it reads rightly teaches it the rest: the verb
takes its finite form, the auxiliary goes, tags and arcs are carried over.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from earmark.train.parser.verb_forms import is_participle_of, third_person

_NUMBER = {"is": "VBZ", "was": "VBZ", "are": "VBP", "were": "VBP"}
_NUMBER_OF_NOUN = {"NN": "VBZ", "NNP": "VBZ", "NNS": "VBP"}
# What hangs on a noun after its participle and may move to the finite verb with the clause.
_MOVABLE = {"cc", "conj", "punct", "advmod", "prep", "advcl", "mark"}


@dataclass(frozen=True, slots=True)
class ReadWord:
    """A word with its lemma, Penn Treebank tag, label of its arc, and the index of its head."""

    text: str
    lemma: str
    tag: str
    dep: str
    head: int


Sentence = tuple[ReadWord, ...]


def below(sentence: Sequence[ReadWord], i: int) -> list[int]:
    """Direct dependents of a word, in order."""
    return [j for j, word in enumerate(sentence) if word.head == i and j != i]


def without(sentence: Sequence[ReadWord], dropped: set[int]) -> Sentence:
    """The sentence without some words; what hung on them hangs on their heads."""
    kept = [i for i in range(len(sentence)) if i not in dropped]
    place = {old: new for new, old in enumerate(kept)}

    def head_of(i: int) -> int:
        head = sentence[i].head
        while head in dropped:
            head = sentence[head].head
        return place[head]

    return tuple(replace(sentence[i], head=head_of(i)) for i in kept)


def in_present_tense(sentence: Sentence) -> tuple[Sentence, tuple[int, ...]]:
    """The sentence with its progressive verbs and bare participles made finite.

    Also the places of the verbs that were rewritten, none where nothing can be.
    """
    words = list(sentence)
    dropped: set[int] = set()
    rewritten: set[int] = set()
    for i in range(len(words)):
        _finite_progressive(words, i, dropped, rewritten)
    for i in range(len(words)):
        _finite_participle(words, i, rewritten)
    kept = [i for i in range(len(words)) if i not in dropped]
    verbs = tuple(place for place, old in enumerate(kept) if old in rewritten)
    return without(words, dropped), verbs


def finite(word: ReadWord, tag: str) -> ReadWord:
    """A verb in the present tense, VBZ or VBP."""
    form = third_person(word.lemma) if tag == "VBZ" else word.lemma
    return replace(word, text=form, tag=tag)


def _is_regular(word: ReadWord) -> bool:
    return word.tag == "VBG" and is_participle_of(word.text.lower(), word.lemma)


def _finite_progressive(
    words: list[ReadWord], i: int, dropped: set[int], rewritten: set[int]
) -> None:
    """Rewrite "is dripping"; a conjunct without its own auxiliary follows its verb."""
    word = words[i]
    if not _is_regular(word):
        return
    under = below(words, i)
    helpers = [j for j in under if words[j].dep in {"aux", "auxpass", "neg"}]
    if not helpers:
        shares = word.dep == "conj" and word.head in rewritten and word.head < i
        if shares and not any(words[j].dep.startswith("nsubj") for j in under):
            words[i] = finite(word, words[word.head].tag)
            rewritten.add(i)
        return
    tag = _NUMBER.get(words[helpers[0]].text.lower())
    subject = any(words[j].dep == "nsubj" for j in under)
    if tag is None or len(helpers) > 1 or not subject:
        return
    words[i] = finite(word, tag)
    dropped.add(helpers[0])
    rewritten.add(i)


def _finite_participle(words: list[ReadWord], i: int, rewritten: set[int]) -> None:
    """Rewrite "a dog barking", where the noun leads the sentence, as a clause.

    Further nouns that are joined to it ("and a man talking") have to have a participle too.
    """
    word = words[i]
    if word.dep != "ROOT" or word.tag not in _NUMBER_OF_NOUN:
        return
    plan = _clause_plan(words, i)
    if plan is None:
        return
    for noun, verb in plan:
        _lift(words, noun, verb)
        rewritten.add(verb)
        for other in below(words, verb):
            joined = words[other].dep == "conj" and words[other].tag == "VBG"
            if joined and _is_regular(words[other]):
                words[other] = finite(words[other], words[verb].tag)
                rewritten.add(other)


def _clause_plan(words: Sequence[ReadWord], noun: int) -> list[tuple[int, int]] | None:
    """(noun, its participle) of a noun and of all nouns joined to it, None where one has none."""
    if words[noun].tag not in _NUMBER_OF_NOUN:
        return None
    after = [j for j in below(words, noun) if j > noun]
    verbs = [j for j in after if words[j].dep == "acl" and _is_regular(words[j])]
    if len(verbs) != 1 or any(words[j].dep not in _MOVABLE for j in after if j > verbs[0]):
        return None
    plan = [(noun, verbs[0])]
    for joined in (j for j in after if words[j].dep == "conj"):
        more = _clause_plan(words, joined) if joined > verbs[0] else None
        if more is None:
            return None
        plan += more
    return plan


def _lift(words: list[ReadWord], noun: int, verb: int) -> None:
    """Put a participle in the place of its noun, which becomes its subject."""
    root = words[noun].head == noun
    head = verb if root else words[noun].head
    for j in below(words, noun):
        if j > verb:
            words[j] = replace(words[j], head=verb)
    tag = _NUMBER_OF_NOUN[words[noun].tag]
    words[verb] = replace(finite(words[verb], tag), dep=words[noun].dep, head=head)
    words[noun] = replace(words[noun], dep="nsubj", head=verb)
