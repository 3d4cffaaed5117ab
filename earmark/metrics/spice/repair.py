"""Slips that the parser makes on captions, put right before the rules read the tree.

Each repair rests on grammar alone, so that it holds for any caption: a plural
cannot follow "a", a noun in -s or -ing is no conjunct of a verb, and "is" before
an -ing form is its auxiliary.
"""

from collections.abc import Sequence
from dataclasses import replace

from earmark.metrics.meteor.lexicon import load_lexicon
from earmark.metrics.spice.wording import is_adjective, names_thing
from earmark.text.parser import Parse, ParsedToken
from earmark.text.wordnet import load_wordnet

_CLAUSES = {"ROOT", "conj", "advcl", "ccomp", "relcl"}
_ONE = {"a", "an", "another", "each", "every"}
_OF_NOUN = ("det", "predet", "amod", "compound", "nmod", "nummod", "poss")
# How the noun before an -ing form hangs on it where that was taken for another noun.
_TAKEN_WITH_NOUN = {"compound", "nmod", "amod", "npadvmod"}


def repaired(parse: Parse) -> Parse:
    """The parse with its slips put right; the words never change."""
    tokens = list(parse)
    for i in range(len(tokens)):
        _verb_taken_for_plural(tokens, i)
        _conjunct_taken_for_noun(tokens, i)
        _conjunct_of_adverb(tokens, i)
        _loose_verb(tokens, i)
        _modifier_within_compound(tokens, i)
    return tuple(tokens)


def _verb_taken_for_plural(tokens: list[ParsedToken], i: int) -> None:
    """Read "a machine hums", where hums was taken for a plural noun, as a clause."""
    token = tokens[i]
    below = [j for j, other in enumerate(tokens) if other.head == i and j != i]
    subject = i - 1
    if subject not in below or tokens[subject].dep != "compound" or tokens[subject].tag != "NN":
        return
    if not any(tokens[j].dep == "det" and tokens[j].word in _ONE for j in below):
        return
    if not _could_be_verb_in_s(token):
        return
    lemma = token.lemma if token.lemma != token.word else token.word[:-1]
    tokens[i] = replace(token, tag="VBZ", pos="VERB", lemma=lemma)
    tokens[subject] = replace(tokens[subject], dep="nsubj")
    for j in below:
        if j < subject and tokens[j].dep in {"det", "amod", "compound", "nummod", "poss", "nmod"}:
            tokens[j] = replace(tokens[j], head=subject)


def _verb_tagged_as_noun(tokens: list[ParsedToken], i: int) -> None:
    """Read "a small dog barks", where barks has a subject and yet a noun's tag, as a clause."""
    token = tokens[i]
    if token.dep not in _CLAUSES or token.tag not in {"NN", "NNS"}:
        return
    subjects = [t.tag for t in tokens if t.dep == "nsubj" and t.head == i]
    if subjects and (token.tag == "NNS" or subjects[-1] == "NNS"):
        tokens[i] = replace(token, tag="VBZ" if token.tag == "NNS" else "VBP", pos="VERB")


def _could_be_verb_in_s(token: ParsedToken) -> bool:
    """Whether a noun is a plural, or a form in -s that the word list has only without it."""
    if token.tag == "NNS":
        return token.lemma != token.word
    known = load_lexicon().synsets_text
    return token.word.endswith("s") and token.word not in known and token.word[:-1] in known


def _conjunct_taken_for_noun(tokens: list[ParsedToken], i: int) -> None:
    """Read the second verb of "sniffs and whines" or "snoring and groaning" as a verb."""
    token = tokens[i]
    if token.dep != "conj" or any(
        other.head == i and other.dep in {"det", "amod", "poss", "nummod"} for other in tokens
    ):
        return
    head = tokens[token.head].tag
    if head == "VBZ" and token.tag == "NNS":
        tokens[i] = replace(token, tag="VBZ", pos="VERB")
    elif head == "VBG" and token.tag == "NN" and token.word.endswith("ing"):
        tokens[i] = replace(token, tag="VBG", pos="VERB", lemma=_verb_base(token.word))


def consistent(parse: Parse) -> Parse:
    """The parse with tags and arcs that contradict each other put right, for both rule sets."""
    tokens = list(parse)
    for i in range(len(tokens)):
        _noun_taken_for_modal(tokens, i)
        _bare_participle(tokens, i)
        _particle_with_object(tokens, i)
        _compound_of_verb(tokens, i)
        _object_tagged_as_verb(tokens, i)
        _subject_taken_for_conjunct(tokens, i)
        _verb_tagged_as_noun(tokens, i)
        _progressive_taken_for_predicate(tokens, i)
    return tuple(tokens)


def _bare_participle(tokens: list[ParsedToken], i: int) -> None:
    """Read "a metal tube clanging", where clanging is no participle on the noun before it, as one.

    The noun takes over its place, and what describes it.
    """
    token, noun = tokens[i], tokens[i - 1]
    bare = i > 0 and token.word.endswith("ing") and noun.tag.startswith("NN")
    if not bare or token.tag[0] not in "NVJ" or token.word == "being" or names_thing(token.word):
        return
    describes_next = token.head > i and token.dep in {"amod", "compound", "nmod"}
    if noun.head == i and not describes_next:
        if noun.dep not in _TAKEN_WITH_NOUN and (noun.dep != "nsubj" or token.tag == "VBG"):
            return
        head = i - 1 if token.head == i else token.head
        tokens[i - 1] = replace(noun, dep=token.dep, head=head)
        for j in _below(tokens, i, *_OF_NOUN):
            tokens[j] = replace(tokens[j], head=i - 1)
    elif token.dep == "auxpass" and token.tag == "VBG":
        if noun.dep == "npadvmod":
            tokens[i - 1] = replace(noun, dep="nsubjpass")
    elif (
        token.head != i - 1 or token.dep not in {"acl", "amod", "xcomp"} or is_adjective(token.word)
    ):
        return
    lemma = _verb_base(token.word) if token.lemma == token.word else token.lemma
    tokens[i] = replace(token, lemma=lemma, tag="VBG", pos="VERB", dep="acl", head=i - 1)


def _verb_base(word: str) -> str:
    """Undo -ing, also of a verb that WordNet lacks."""
    base = load_wordnet().verb_base(word)
    return base if base != word else word.removesuffix("ing")


def _noun_taken_for_modal(tokens: list[ParsedToken], i: int) -> None:
    """Read "a tin can rolling", where can was taken for a modal verb, as a noun."""
    token = tokens[i]
    if token.tag != "MD" or i + 1 == len(tokens) or tokens[i + 1].tag != "VBG":
        return
    tokens[i] = replace(token, tag="NN", pos="NOUN", dep="nsubj", head=i + 1)
    for j in range(i):
        if tokens[j].head == i + 1 and tokens[j].dep == "nsubj":
            tokens[j] = replace(tokens[j], dep="compound", head=i)
            for k in _below(tokens, j, *_OF_NOUN):
                tokens[k] = replace(tokens[k], head=i)


def _particle_with_object(tokens: list[ParsedToken], i: int) -> None:
    """Read "turns on a radio", where the particle governs the radio, as a preposition."""
    if tokens[i].dep == "prt" and _below(tokens, i, "pobj"):
        tokens[i] = replace(tokens[i], tag="IN", dep="prep")


def _compound_of_verb(tokens: list[ParsedToken], i: int) -> None:
    """Read "frogs croak", where frogs was taken for a part of a compound, as a clause."""
    token = tokens[i]
    head = tokens[token.head]
    if token.dep != "compound" or not token.tag.startswith("NN") or token.head <= i:
        return
    clause = head.tag in {"VBZ", "VBP"} and head.dep in _CLAUSES
    if clause and not _below(tokens, token.head, "nsubj", "nsubjpass"):
        tokens[i] = replace(token, dep="nsubj")


def _object_tagged_as_verb(tokens: list[ParsedToken], i: int) -> None:
    """Read "makes splashing sounds", where the object sounds was tagged as a verb, as a noun."""
    token = tokens[i]
    makes = token.dep == "ccomp" and token.head == i - 2 and tokens[i - 2].lemma == "make"
    tagged = token.tag == "VBZ" and token.dep in {"dobj", "pobj"}
    if not tagged and not (makes and token.tag in {"VBZ", "NNS"}):
        return
    tokens[i] = replace(token, tag="NNS", pos="NOUN", dep="dobj" if makes else token.dep)
    for j in _below(tokens, i, "prep", "prt", "npadvmod") if makes else ():
        tokens[j] = replace(tokens[j], head=token.head)
    for j in _below(tokens, i, "nsubj"):
        if tokens[j].word.endswith("ing"):
            lemma = _verb_base(tokens[j].word)
            tokens[j] = replace(tokens[j], tag="VBG", pos="VERB", dep="amod", lemma=lemma)
        else:
            tokens[j] = replace(tokens[j], dep="compound")


def _subject_taken_for_conjunct(tokens: list[ParsedToken], i: int) -> None:
    """Read "the guest leaves and silence falls", where silence was joined to leaves, as clauses."""
    token = tokens[i]
    if token.dep != "conj" or not token.tag.startswith("NN") or tokens[token.head].tag[0] != "V":
        return
    verb = i + 1
    if verb == len(tokens) or tokens[verb].tag not in {"VBZ", "VBP", "VBG"}:
        return
    joined = tokens[verb].dep == "conj" and tokens[verb].head in {i, token.head}
    if joined and not _below(tokens, verb, "nsubj"):
        tokens[verb] = replace(tokens[verb], head=token.head)
        tokens[i] = replace(token, dep="nsubj", head=verb)


def _progressive_taken_for_predicate(tokens: list[ParsedToken], i: int) -> None:
    """Read "is raining", where raining was taken for a predicate, as one verb."""
    token = tokens[i]
    head = token.head
    if token.dep not in {"attr", "acomp"} or tokens[head].lemma != "be":
        return
    if token.tag == "JJ" and token.word.endswith("ing") and not is_adjective(token.word):
        token = replace(token, tag="VBG", pos="VERB", lemma=_verb_base(token.word))
    if token.tag != "VBG":
        return
    root = tokens[head].head == head
    tokens[i] = replace(token, dep=tokens[head].dep, head=i if root else tokens[head].head)
    tokens[head] = replace(tokens[head], dep="aux", head=i)
    for j, other in enumerate(tokens):
        if other.head == head and j not in {i, head}:
            tokens[j] = replace(other, head=i)


def _below(tokens: Sequence[ParsedToken], i: int, *deps: str) -> list[int]:
    return [j for j, t in enumerate(tokens) if t.head == i and j != i and t.dep in deps]


def _conjunct_of_adverb(tokens: list[ParsedToken], i: int) -> None:
    """Read "talking loudly and yelling", where yelling was joined to loudly, as two verbs."""
    token = tokens[i]
    head = tokens[token.head]
    if token.dep == "conj" and token.tag.startswith("VB") and head.tag.startswith("RB"):
        verb = head.head
        if tokens[verb].tag.startswith("VB"):
            tokens[i] = replace(token, head=verb)


def _loose_verb(tokens: list[ParsedToken], i: int) -> None:
    """Read "speaks, then walks", where walks was left without a role, as a second verb."""
    token = tokens[i]
    verbs = token.tag.startswith("VB") and tokens[token.head].tag.startswith("VB")
    if token.dep == "dep" and verbs and token.head < i:
        tokens[i] = replace(token, dep="conj")


def _modifier_within_compound(tokens: list[ParsedToken], i: int) -> None:
    """Read "several elevator sounds" flat: what describes a part of a compound is the whole's."""
    token = tokens[i]
    if token.dep not in {"amod", "compound", "nummod"}:
        return
    head = token.head
    while tokens[head].dep in {"compound", "amod", "nmod"} and tokens[head].head > head > i:
        head = tokens[head].head
    if tokens[head].tag.startswith("NN"):
        tokens[i] = replace(token, head=head)


def attached_low(parse: Parse) -> Parse:
    """Hang a second prepositional phrase of a verb on the noun of the first, as SPICE does.

    "walks on a path at a steady pace": the pace is the path's. Only where the
    second follows that noun at once. Seen in the trees that were published with
    SPICE+ for ten clips.
    """
    tokens = list(parse)
    for i, token in enumerate(tokens):
        verb = tokens[token.head].tag.startswith("VB") and token.head < i
        if token.dep == "prep" and verb and _ends_phrase(tokens, i - 1, token.head):
            tokens[i] = replace(token, head=i - 1)
    return tuple(tokens)


def _ends_phrase(tokens: list[ParsedToken], noun: int, verb: int) -> bool:
    """Whether a noun is what a preposition of the verb governs."""
    token = tokens[noun]
    preposition = tokens[token.head]
    return (
        token.tag.startswith("NN")
        and token.dep == "pobj"
        and preposition.dep == "prep"
        and preposition.head == verb
    )
