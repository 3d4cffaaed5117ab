"""A caption's dependency tree, with the look-ups that the rules of scene graphs need.

Labels are spaCy's (CLEAR style). The two rule sets read the same tree
differently: see ``plus``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from earmark.metrics.spice.graph import JOIN
from earmark.metrics.spice.repair import attached_low, consistent, repaired
from earmark.metrics.spice.wording import (
    NO_THING,
    NOT_VERB,
    NOTHING_MARKED,
    Marked,
    marked,
    with_lemmas,
)
from earmark.text.parser import Parse, ParsedToken

# Prepositions of several words that Stanford's dependencies take for one.
COMPOUND_PREPOSITIONS = frozenset(
    (
        *("across from", "along with", "apart from", "away from", "because of", "close by"),
        *("close to", "due to", "inside of", "instead of", "near to", "next to", "off of"),
        *("on top of", "in front of", "out of", "outside of", "prior to", "together with"),
    )
)
_SINGULAR = {"it", "its", "itself", "he", "him", "his", "himself", "she", "her", "herself"}
_PLURAL = {"they", "them", "their", "themselves"}
_PARTICLES = {"around", "down", "off", "out", "over", "up"}
_INSIDE = {"compound", "nmod"}


@dataclass(frozen=True)
class Tree:
    """One caption; tokens are named by their index.

    ``plus`` reads as SPICE+ does: the subject of a passive is a subject, a
    clause on a noun has that noun for its subject, relative pronouns stand for
    their noun, conjoined nouns share adjectives.
    """

    tokens: Sequence[ParsedToken]
    plus: bool

    @classmethod
    def of(cls, parse: Parse, *, plus: bool) -> "Tree":
        """Take a parse; for SPICE+, which has the better one, with its usual slips put right."""
        if plus:
            return cls(repaired(consistent(with_lemmas(parse))), plus)
        return cls(attached_low(parse), plus)

    @cached_property
    def _marked(self) -> Marked:
        return marked(self.tokens) if self.plus else NOTHING_MARKED

    @cached_property
    def _below(self) -> dict[int, list[int]]:
        below: dict[int, list[int]] = {i: [] for i in range(len(self.tokens))}
        for i, token in enumerate(self.tokens):
            if token.head != i and i not in self._marked.silent:
                below[token.head].append(i)
        return below

    def children(self, i: int, *deps: str) -> list[int]:
        """List a token's children by label, in order."""
        return [child for child in self._below[i] if self.tokens[child].dep in deps]

    def with_conjuncts(self, tokens: Sequence[int]) -> list[int]:
        """List tokens, each with all that is coordinated with it and of its kind."""
        expanded: list[int] = []
        for i in tokens:
            kind = self.tokens[i].tag[0]
            same = [c for c in self.children(i, "conj", "appos") if self.tokens[c].tag[0] == kind]
            expanded += [i, *self.with_conjuncts(same)]
        return expanded

    def nouns(self) -> Iterator[int]:
        """Every noun that stands for a thing of its own."""
        for i in range(len(self.tokens)):
            if self.is_noun(i):
                yield i

    def is_noun(self, i: int) -> bool:
        """Whether a token is a noun that does not merely describe another, nor an aside's."""
        token = self.tokens[i]
        if i in self._marked.silent:
            return False
        return token.tag.startswith("NN") and token.dep not in {*_INSIDE, "amod"}

    def verbs(self) -> Iterator[int]:
        """Every full verb other than "be"."""
        for i, token in enumerate(self.tokens):
            if token.tag.startswith("VB") and token.lemma != "be" and self._is_clause(i):
                yield i

    def _is_clause(self, i: int) -> bool:
        return self.tokens[i].dep not in {"aux", "auxpass", "amod", "compound"}

    def name(self, i: int) -> str:
        """Name of a token in the graph: its lemma, or an adjective as written, after a denial."""
        token = self.tokens[i]
        name = token.lemma if token.tag[0] in "NV" else token.word
        return self.denial(i) + name.replace(JOIN, " ")

    def denial(self, i: int) -> str:
        """What stands before the name of a denied noun or verb, else nothing."""
        if i not in self._marked.denied:
            return ""
        return NO_THING if self.tokens[i].tag[0] == "N" else NOT_VERB

    def verb(self, i: int) -> str:
        """Name a verb with its particle; "by" ("cars pass by") adds nothing.

        SPICE's parser takes an adverb such as "around" for a particle too.
        """
        particles = (self.tokens[p] for p in self.children(i, "prt"))
        words = [one.word for one in particles if one.tag == "RP" and one.word != "by"]
        if not self.plus and i + 1 in self.children(i, "advmod"):
            words += [w for w in [self.tokens[i + 1].word] if w in _PARTICLES]
        return " ".join([self.name(i), *words])

    def thing(self, i: int) -> str | None:
        """Name the object that a noun is or a pronoun stands for; None for anything else."""
        token = self.tokens[i]
        if token.tag.startswith("NN"):
            return self.name(i)
        if token.tag in {"PRP", "PRP$"}:
            return self._antecedent(i)
        if token.tag in {"WDT", "WP"} and self.plus:
            clause = self.tokens[token.head]
            return self.thing(clause.head) if clause.dep == "relcl" else None
        return None

    def _antecedent(self, i: int) -> str | None:
        """Take the first noun before a pronoun, of its number where there is one."""
        word = self.tokens[i].word
        if word not in _SINGULAR | _PLURAL:
            return None
        before = [j for j in self.nouns() if j < i]
        tags = {"NNS", "NNPS"} if word in _PLURAL else {"NN", "NNP"}
        agreeing = [j for j in before if self.tokens[j].tag in tags]
        chosen = agreeing or (before if word in _PLURAL else [])
        return self.name(chosen[0]) if chosen else None

    def things(self, tokens: Sequence[int]) -> list[str]:
        """Name the objects among tokens and their conjuncts."""
        names = (self.thing(i) for i in self.with_conjuncts(tokens))
        return [name for name in names if name is not None]

    def is_passive(self, verb: int) -> bool:
        """Whether a verb is in the passive, by itself or with the verb before it."""
        token = self.tokens[verb]
        if self.children(verb, "auxpass", "nsubjpass", "agent"):
            return True
        shares = token.dep == "conj" and not self.children(verb, "nsubj", "aux")
        return token.tag == "VBN" and shares and self.is_passive(token.head)

    def subjects(self, verb: int) -> list[str]:
        """Name the subjects of a verb; a conjunct without its own has those of the first."""
        own = self.children(verb, "nsubj", "nsubjpass")
        token = self.tokens[verb]
        if own:
            bare = token.tag == "VBG" and not self.children(verb, "aux", "auxpass")
            return [] if bare and not self._bare_speaks(verb) else self.things(own)
        if token.dep == "conj" and self.tokens[token.head].tag.startswith("VB"):
            return self.subjects(token.head)
        if token.dep == "acl" and self._speaks_of_noun(verb):
            return self.things([token.head])
        return []

    def _speaks_of_noun(self, verb: int) -> bool:
        """Whether the noun that a participle hangs on is its subject.

        SPICE's parser loses the participle on the noun that a caption starts with,
        and its rules need an object.
        """
        token = self.tokens[verb]
        if self.plus:
            return token.tag in {"VBG", "VBN"}
        inner = self.tokens[token.head].head != token.head
        # "followed by" is a preposition to SPICE's parser
        participle = token.tag in {"VBG", "VBN"} and token.word != "followed"
        return participle and inner and bool(self.objects(verb) or self.prepositional(verb))

    def _bare_speaks(self, verb: int) -> bool:
        """Whether the subject of a bare -ing form does it, as in "with birds singing in"."""
        inner = self.tokens[verb].head != verb
        return self.plus or (inner and bool(self.objects(verb) or self.prepositional(verb)))

    def _sharing(self, verb: int) -> list[int]:
        """List the verbs that share what follows them: "chirping and singing in a tree".

        These are verbs with nothing but "and" between; SPICE+ gives what follows to the
        last alone.
        """
        if self.plus:
            return [verb]
        first = verb
        while (before := self._joined_to(first)) is not None:
            first = before
        sharing = [first]
        for member in sharing:
            sharing += [c for c in self.children(member, "conj") if self._joined_to(c) == member]
        return sharing

    def _joined_to(self, verb: int) -> int | None:
        """The verb that a bare conjunct follows directly, None where there is none."""
        token = self.tokens[verb]
        verbs = token.tag.startswith("VB") and self.tokens[token.head].tag.startswith("VB")
        if token.dep != "conj" or not verbs or token.head > verb:
            return None
        between = self.tokens[token.head + 1 : verb]
        own = self.children(verb, "nsubj", "nsubjpass", "aux", "auxpass", "mark")
        return None if own or any(t.dep not in {"cc", "punct"} for t in between) else token.head

    def objects(self, verb: int) -> list[str]:
        """Name the direct and indirect objects of a verb."""
        verbs = self._sharing(verb)
        return self.things([i for v in verbs for i in self.children(v, "dobj", "dative")])

    def prepositional(self, head: int) -> list[tuple[str, int]]:
        """List (preposition, noun) of what hangs on a verb or noun by prepositions."""
        return [pair for token in self._sharing(head) for pair in self._prepositional(token)]

    def _prepositional(self, head: int) -> list[tuple[str, int]]:
        pairs: list[tuple[str, int]] = []
        for p in self.children(head, "prep", "agent", "dative"):
            pairs += self._under(p, self.tokens[p].word)
        for adverb in self.children(head, "advmod"):
            for p in self.children(adverb, "prep"):
                pairs += self._under(p, self._joined(self.tokens[adverb].word, p))
        return pairs

    def _under(self, preposition: int, name: str) -> list[tuple[str, int]]:
        pairs: list[tuple[str, int]] = []
        for noun in self.children(preposition, "pobj"):
            inner = [
                p
                for p in self.children(noun, "prep")
                if not self.plus
                and f"{name} {self.tokens[noun].word} {self.tokens[p].word}"
                in COMPOUND_PREPOSITIONS
            ]
            for p in inner:
                long = f"{name} {self.tokens[noun].word} {self.tokens[p].word}"
                pairs += self._under(p, long)
            if not inner:
                pairs += [(name, i) for i in self.with_conjuncts([noun])]
        for nested in self.children(preposition, "prep"):
            pairs += self._under(nested, self._joined(name, nested))
        for other in self.children(preposition, "conj"):
            pairs += self._under(other, self.tokens[other].word)
        return pairs

    def _joined(self, first: str, preposition: int) -> str:
        word = self.tokens[preposition].word
        both = f"{first} {word}"
        return both if both in COMPOUND_PREPOSITIONS and not self.plus else word

    def head_noun(self, i: int) -> int:
        """Climb from a part of a compound to the noun that it describes."""
        while self.tokens[i].dep in _INSIDE and self.tokens[i].head != i:
            i = self.tokens[i].head
        return i
