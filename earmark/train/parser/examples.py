"""Parsed captions that the parser learns from: rewritten, composed, and as they are.

Composed are longer sentences of short clauses whose parse is known. Each way of joining has one
form: two verbs of one subject, two clauses, a relative clause, "A of B", a denial, the progressive.
Trees are built as the parser's own scheme (CLEAR) has them.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from earmark.metrics.spice.repair import consistent, repaired
from earmark.text.parser import ParsedToken, normalise
from earmark.train.parser.tense import ReadWord, Sentence, below, finite, in_present_tense, without
from earmark.train.parser.verb_forms import is_participle_of, participle

Clause = tuple[ReadWord, ...]
_COMPLEMENTS = {"xcomp", "ccomp", "acomp", "attr", "dative"}
_OF_NOUNS = {"dobj", "pobj", "nsubj", "nsubjpass", "amod", "compound", "appos"}
_PRONOUNS = {"WDT", "WP"}
# "as a dog barks" is a clause: where the parser takes it for a phrase it misreads the verb.
_CLAUSE_OPENERS = {"as", "while", "when"}
_SUBORDINATORS = ("as", "while", "when", "before", "until")
_RELATIVES = {"that": "WDT", "which": "WDT", "who": "WP"}
_PEOPLE = {"man", "woman", "person", "people", "child", "boy", "girl", "baby", "lady", "kid"}


@dataclass(frozen=True, slots=True)
class Composer:
    """Makes sentences of clauses without a full stop, in lower case, and of verbs.

    ``clauses`` have one subject before one finite verb, the root; ``verbs`` are lemmas that
    stand without an object.
    """

    clauses: Sequence[Clause]
    verbs: Sequence[str]
    rng: random.Random

    def clause(self) -> Clause:
        """A clause, half of them with another verb where theirs has no object."""
        chosen = self.rng.choice(self.clauses)
        root = root_of(chosen)
        has_object = any(chosen[j].dep == "dobj" for j in below(chosen, root))
        if has_object or self.rng.random() < 0.5:
            return chosen
        return with_verb(chosen, self.verb(chosen[root].tag))

    def verb(self, tag: str) -> ReadWord:
        """A verb in the present tense, VBZ or VBP."""
        lemma = self.rng.choice(self.verbs)
        return finite(ReadWord(lemma, lemma, tag, "ROOT", 0), tag)


def root_of(sentence: Sequence[ReadWord]) -> int:
    """The word that governs all others."""
    return next(i for i, word in enumerate(sentence) if word.head == i)


def subject_of(clause: Sequence[ReadWord]) -> int:
    """The subject of the clause's verb."""
    return next(j for j in below(clause, root_of(clause)) if clause[j].dep == "nsubj")


def with_verb(clause: Clause, verb: ReadWord) -> Clause:
    """The clause with another verb at its root."""
    root = root_of(clause)
    word = replace(verb, dep=clause[root].dep, head=clause[root].head)
    return (*clause[:root], word, *clause[root + 1 :])


def moved(words: Sequence[ReadWord], by: int) -> Clause:
    """Words with their heads further on."""
    return tuple(replace(word, head=word.head + by) for word in words)


def inserted(sentence: Sequence[ReadWord], at: int, word: ReadWord) -> Clause:
    """The sentence with one word more; its head is named as in the sentence before."""
    shifted = [replace(w, head=w.head + (w.head >= at)) for w in sentence]
    new = replace(word, head=word.head + (word.head >= at))
    return (*shifted[:at], new, *shifted[at:])


def hung(clause: Clause, by: int, dep: str, head: int) -> Clause:
    """A clause further on, whose root hangs on another word."""
    root = root_of(clause)
    return tuple(
        replace(word, dep=dep, head=head) if i == root else replace(word, head=word.head + by)
        for i, word in enumerate(clause)
    )


def _two_verbs(composer: Composer) -> Clause:
    """Two verbs of one subject ("a dog barks and growls"), or three."""
    clause = composer.clause()
    root = root_of(clause)
    words = list(clause)
    last = root
    if composer.rng.random() < 0.25:
        words += [ReadWord(",", ",", ",", "punct", last)]
        words += [replace(composer.verb(clause[root].tag), dep="conj", head=last)]
        last = len(words) - 1
    words += [ReadWord("and", "and", "CC", "cc", last)]
    if composer.rng.random() < 0.2:
        words += [ReadWord("then", "then", "RB", "advmod", len(words) + 1)]
    words += [replace(composer.verb(clause[root].tag), dep="conj", head=last)]
    return tuple(words)


def _two_clauses(composer: Composer) -> Clause:
    """Two clauses: "a dog barks and a man talks", "a dog barks while a man talks"."""
    first, second = composer.clause(), composer.clause()
    root = root_of(first)
    if composer.rng.random() < 0.5:
        link = ReadWord("and", "and", "CC", "cc", root)
        return (*first, link, *hung(second, len(first) + 1, "conj", root))
    mark = composer.rng.choice(_SUBORDINATORS)
    there = len(first) + 1 + root_of(second)
    link = ReadWord(mark, mark, "IN", "mark", there)
    return (*first, link, *hung(second, len(first) + 1, "advcl", root))


def _relative(composer: Composer) -> Clause:
    """A clause between the subject and its verb: "a valve that leaks into a sink hisses"."""
    clause, other = composer.clause(), composer.clause()
    root, verb = root_of(clause), root_of(other)
    subject = subject_of(clause)
    person = clause[subject].lemma in _PEOPLE
    pronoun = composer.rng.choice(["that", "who"] if person else ["that", "which"])
    relative = ReadWord(pronoun, pronoun, _RELATIVES[pronoun], "nsubj", root + 1)
    same_number = finite(other[verb], clause[root].tag)
    said = [same_number, *other[verb + 1 :]] if composer.rng.random() < 0.5 else [same_number]
    if any(word.head < verb for word in said[1:]):
        said = [same_number]
    hanging = hung(moved(said, -verb), root + 1, "relcl", subject)
    by = 1 + len(hanging)
    shifted = [replace(w, head=w.head + by * (w.head >= root)) for w in clause]
    return (*shifted[:root], relative, *hanging, *shifted[root:])


def _whole_of_part(composer: Composer) -> Clause:
    """A verb after its subject's part: "the engine of an old truck sputters"."""
    clause, other = composer.clause(), composer.clause()
    root = root_of(clause)
    subject = subject_of(clause)
    phrase = subject_phrase(other)
    if subject != root - 1 or not phrase or clause[subject].tag not in {"NN", "NNS"}:
        return clause
    added = [
        ReadWord("of", "of", "IN", "prep", subject),
        *hung(phrase, root + 1, "pobj", root),
    ]
    by = len(added)
    shifted = [replace(w, head=w.head + by * (w.head >= root)) for w in clause]
    return (*shifted[:root], *added, *shifted[root:])


def subject_phrase(clause: Clause) -> Clause | None:
    """The subject of a clause alone, a tree of its own; None for a pronoun."""
    subject = subject_of(clause)
    words = clause[: subject + 1]
    if clause[subject].tag not in {"NN", "NNS"} or any(w.head > subject for w in words[:-1]):
        return None
    return (*words[:-1], replace(clause[subject], dep="ROOT", head=subject))


def _denied_verb(composer: Composer) -> Clause:
    """A denied verb: "a dog does not bark"."""
    clause = composer.clause()
    root = root_of(clause)
    helper = "does" if clause[root].tag == "VBZ" else "do"
    bare = replace(clause[root], text=clause[root].lemma, tag="VB")
    words: Clause = (*clause[:root], bare, *clause[root + 1 :])
    if composer.rng.random() < 0.3:
        return inserted(clause, root, ReadWord("never", "never", "RB", "neg", root))
    denial = composer.rng.choice(["not", "n't"])
    words = inserted(words, root, ReadWord(denial, "not", "RB", "neg", root))
    return inserted(words, root, ReadWord(helper, "do", clause[root].tag, "aux", root + 1))


def _denied_subject(composer: Composer) -> Clause:
    """A denied subject: "no birds sing"."""
    clause = composer.clause()
    subject = subject_of(clause)
    articles = [j for j in below(clause, subject) if clause[j].dep == "det"]
    denial = ReadWord("no", "no", "DT", "det", subject)
    if articles:
        return (*clause[: articles[0]], denial, *clause[articles[0] + 1 :])
    if clause[subject].tag != "NNS":
        return clause
    return inserted(clause, 0, denial)


def _progressive(composer: Composer) -> Clause:
    """The progressive: "a tap is dripping"."""
    clause = composer.clause()
    root = root_of(clause)
    helper = "is" if clause[root].tag == "VBZ" else "are"
    verb = replace(clause[root], text=participle(clause[root].lemma), tag="VBG")
    words: Clause = (*clause[:root], verb, *clause[root + 1 :])
    return inserted(words, root, ReadWord(helper, "be", clause[root].tag, "aux", root))


_KINDS: tuple[Callable[[Composer], Clause], ...] = (
    Composer.clause,
    _two_verbs,
    _two_clauses,
    _relative,
    _whole_of_part,
    _denied_verb,
    _denied_subject,
    _progressive,
    _progressive,
    _two_verbs,
    _two_clauses,
)


def composed(composer: Composer, count: int) -> list[Sentence]:
    """Sentences of every kind with a capital and a full stop."""
    return [dressed(_KINDS[i % len(_KINDS)](composer)) for i in range(count)]


def dressed(sentence: Sequence[ReadWord]) -> Sentence:
    """One capital and a full stop."""
    first = sentence[0]
    return (
        replace(first, text=first.text[0].upper() + first.text[1:]),
        *sentence[1:],
        ReadWord(".", ".", ".", "punct", root_of(sentence)),
    )


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
    parsed = (
        tuple(ReadWord(t.text, t.lemma_.lower(), t.tag_, t.dep_, t.head.i) for t in document)
        for document in pipeline.pipe(texts, batch_size=256)
    )
    return [sentence for sentence in parsed if _looks_right(sentence)]


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
    rewritten = ((sentence, *in_present_tense(sentence)) for sentence in sentences)
    return [
        Rewritten(before, after, verbs)
        for before, after, verbs in rewritten
        if verbs
        and is_one_tree(after)
        # No finite verb stands where a noun should.
        and not any(word.tag in {"VBZ", "VBP"} and word.dep in _OF_NOUNS for word in after)
    ]


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
    places = [i]
    for j in places:
        places += below(sentence, j)
    return sorted(places)
