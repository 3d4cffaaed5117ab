"""Rules by which a dependency tree becomes a scene graph: one for each construction.

Sources: Anderson et al., SPICE, ECCV 2016, with the rules of Stanford's scene
graph parser (Schuster et al., VL 2015); Gontier et al., SPICE+, ICASSP 2023.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from earmark.metrics.spice.graph import SceneGraph, SceneTuple
from earmark.metrics.spice.tree import Tree
from earmark.text.parser import Parse

# "plus_both" is "plus" with the other reading of "A of B".
RuleSet = Literal["spice", "plus", "plus_both"]
Extract = Callable[[Tree], Iterator[SceneTuple]]

BOTH: frozenset[RuleSet] = frozenset(("spice", "plus", "plus_both"))
SPICE: frozenset[RuleSet] = frozenset(("spice",))
PLUS: frozenset[RuleSet] = frozenset(("plus", "plus_both"))

# Each raised whenever one of its rules changes what it finds.
VERSIONS: Mapping[RuleSet, int] = {"spice": 3, "plus": 5, "plus_both": 5}
BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, the rule sets that have it, and what it finds in an example."""

    name: str
    sets: frozenset[RuleSet]
    example: str
    finds: tuple[str, ...]
    extract: Extract


def scene_graph(parse: Parse, rule_set: RuleSet) -> SceneGraph:
    """Apply a rule set to one parsed caption; no token, no tuple."""
    tree = Tree.of(parse, plus=rule_set != "spice")
    rows = [row for rule in RULES if rule_set in rule.sets for row in rule.extract(tree)]
    graph = SceneGraph(
        tuple(row[0] for row in rows if len(row) == 1),
        tuple((row[0], row[1]) for row in rows if len(row) == 2),
        tuple((row[0], row[1], row[2]) for row in rows if len(row) == 3),
    ).without_repeats()
    return graph.standing_for(_seconds(tree)) if rule_set == "plus" else graph


def _seconds(tree: Tree) -> dict[str, list[str]]:
    """Each A of "A of B" with its B: "group of men and women" has two."""
    seconds: dict[str, list[str]] = {}
    for noun in tree.nouns():
        for preposition in tree.children(noun, "prep"):
            if tree.tokens[preposition].word == "of":
                things = tree.things(tree.children(preposition, "pobj"))
                seconds.setdefault(tree.name(noun), []).extend(things)
    return seconds


def _is_background(tree: Tree, preposition: str, noun: int) -> bool:
    return tree.plus and preposition == "in" and tree.tokens[noun].lemma == BACKGROUND


def _related(tree: Tree, head: int) -> list[tuple[str, str]]:
    """List (preposition, object) of a verb or noun, the background left out."""
    related = []
    for preposition, noun in tree.prepositional(head):
        thing = tree.thing(noun)
        if thing is not None and not _is_background(tree, preposition, noun):
            related.append((preposition, thing))
    return related


def _speaks(tree: Tree, verb: int) -> bool:
    """Whether a verb's subjects do it: SPICE drops the passive."""
    return tree.plus or not tree.is_passive(verb)


def _objects(tree: Tree) -> Iterator[SceneTuple]:
    hidden = {
        noun
        for head in range(len(tree.tokens))
        for preposition, noun in tree.prepositional(head)
        if _is_background(tree, preposition, noun)
    }
    for noun in tree.nouns():
        if noun not in hidden:
            yield (tree.name(noun),)


def _adjectives(tree: Tree) -> Iterator[SceneTuple]:
    for noun in tree.nouns():
        for adjective in tree.with_conjuncts(tree.children(noun, "amod")):
            yield tree.name(noun), tree.name(adjective)


def _shared_adjectives(tree: Tree) -> Iterator[SceneTuple]:
    for noun in tree.nouns():
        adjectives = tree.with_conjuncts(tree.children(noun, "amod"))
        for other in tree.with_conjuncts([noun])[1:]:
            if not tree.children(other, "det", "amod", "poss", "nummod"):
                for adjective in adjectives:
                    yield tree.name(other), tree.name(adjective)


def _compounds(tree: Tree) -> Iterator[SceneTuple]:
    for i, token in enumerate(tree.tokens):
        head = tree.head_noun(i)
        if head != i and tree.is_noun(head) and token.tag[0] in "NVJ":
            yield tree.name(head), tree.name(i)


def _numbers(tree: Tree) -> Iterator[SceneTuple]:
    for noun in tree.nouns():
        for number in tree.children(noun, "nummod"):
            yield tree.name(noun), tree.name(number)


def _possessives(tree: Tree) -> Iterator[SceneTuple]:
    for noun in tree.nouns():
        for owner in tree.things(tree.children(noun, "poss")):
            yield owner, "have", tree.name(noun)


def _noun_prepositions(tree: Tree) -> Iterator[SceneTuple]:
    for noun in tree.nouns():
        described = [noun, *tree.children(noun, "amod")]
        for head in described:
            for preposition, thing in _related(tree, head):
                yield tree.name(noun), preposition, thing


def _copulas(tree: Tree) -> Iterator[SceneTuple]:
    for i, token in enumerate(tree.tokens):
        if token.lemma != "be" or token.dep in {"aux", "auxpass"}:
            continue
        for subject in tree.subjects(i):
            for predicate in tree.with_conjuncts(tree.children(i, "acomp", "attr")):
                if not tree.children(i, "expl"):
                    yield subject, tree.denial(i) + tree.name(predicate)


def _placed(tree: Tree) -> Iterator[SceneTuple]:
    for i, token in enumerate(tree.tokens):
        if token.lemma != "be" or token.dep in {"aux", "auxpass"}:
            continue
        there = tree.things(tree.children(i, "attr")) if tree.children(i, "expl") else []
        for subject in [*tree.subjects(i), *there]:
            for preposition, thing in _related(tree, i):
                yield subject, tree.denial(i) + preposition, thing


def _direct(tree: Tree) -> Iterator[SceneTuple]:
    for verb in tree.verbs():
        if _speaks(tree, verb):
            for subject in tree.subjects(verb):
                for thing in tree.objects(verb):
                    yield subject, tree.verb(verb), thing


def _oblique(tree: Tree) -> Iterator[SceneTuple]:
    for verb in tree.verbs():
        if _speaks(tree, verb):
            for subject in tree.subjects(verb):
                for preposition, thing in _related(tree, verb):
                    yield subject, f"{tree.verb(verb)} {preposition}", thing


def _times(tree: Tree) -> Iterator[SceneTuple]:
    for verb in tree.verbs():
        if _speaks(tree, verb):
            for subject in tree.subjects(verb):
                for thing in _time_nouns(tree, verb):
                    yield subject, f"{tree.verb(verb)} tmod", thing


def _time_nouns(tree: Tree, verb: int) -> list[str]:
    nouns = [i for i in tree.children(verb, "npadvmod") if tree.is_noun(i)]
    return tree.things(nouns)


def _has_related(tree: Tree, verb: int) -> bool:
    return bool(tree.objects(verb) or _related(tree, verb) or _time_nouns(tree, verb))


def _actions(tree: Tree) -> Iterator[SceneTuple]:
    for verb in tree.verbs():
        if not _speaks(tree, verb) or _has_related(tree, verb) or _joined(tree, verb):
            continue
        for subject in tree.subjects(verb):
            yield subject, tree.verb(verb)


def _complements(tree: Tree, verb: int) -> list[int]:
    """List the open complements of a verb without an object of its own (SPICE+ alone)."""
    if not tree.plus or tree.objects(verb):
        return []
    complements = tree.children(verb, "xcomp")
    return [i for i in complements if tree.tokens[i].tag.startswith("VB")]


def _joined(tree: Tree, verb: int) -> list[int]:
    """List the open complements that form one predicate with their verb."""
    return [i for i in _complements(tree, verb) if not _has_related(tree, i)]


def _open_complements(tree: Tree) -> Iterator[SceneTuple]:
    for verb in tree.verbs():
        joined = _joined(tree, verb)
        for complement in _complements(tree, verb):
            to = "to " if tree.tokens[complement].tag == "VB" else ""
            relations = [(tree.verb(complement), thing) for thing in tree.objects(complement)]
            relations += [
                (f"{tree.verb(complement)} {preposition}", thing)
                for preposition, thing in _related(tree, complement)
            ]
            for subject in tree.subjects(verb):
                if complement in joined:
                    yield subject, f"{tree.verb(verb)} {to}{tree.verb(complement)}"
                for relation, thing in relations:
                    yield subject, relation, thing


def _agents(tree: Tree) -> Iterator[SceneTuple]:
    for verb in tree.verbs():
        for by in tree.children(verb, "agent"):
            for agent in tree.things(tree.children(by, "pobj")):
                for patient in tree.subjects(verb):
                    yield agent, tree.verb(verb), patient


def _backgrounds(tree: Tree) -> Iterator[SceneTuple]:
    for head, token in enumerate(tree.tokens):
        for preposition, noun in tree.prepositional(head):
            if _is_background(tree, preposition, noun):
                named = [tree.name(head)] if tree.is_noun(head) else tree.subjects(head)
                for thing in named if token.tag[0] in "NV" else []:
                    yield thing, BACKGROUND


RULES: tuple[Rule, ...] = (
    Rule("object", BOTH, "a car and a dog", ("car", "dog"), _objects),
    Rule("adjective", BOTH, "a small and wet dog barks", ("dog,small", "dog,wet"), _adjectives),
    Rule("compound", BOTH, "a car engine idles", ("engine,car",), _compounds),
    Rule("number", BOTH, "five bells are ringing", ("bell,five",), _numbers),
    Rule("possessive", BOTH, "a man is blowing his nose", ("man,have,nose",), _possessives),
    Rule("noun and preposition", BOTH, "a dog in a car", ("dog,in,car",), _noun_prepositions),
    Rule("copula", BOTH, "the wind is loud", ("wind,loud",), _copulas),
    Rule(
        "copula and preposition",
        BOTH,
        "the people are on a roller coaster",
        ("people,on,coaster",),
        _placed,
    ),
    Rule(
        "subject and object",
        BOTH,
        "a person opens a door and a window",
        ("person,open,door", "person,open,window"),
        _direct,
    ),
    Rule(
        "subject and preposition",
        BOTH,
        "a person is walking on a path",
        ("person,walk on,path",),
        _oblique,
    ),
    Rule("subject and time", BOTH, "a dog barks several times", ("dog,bark tmod,time",), _times),
    Rule(
        "subject alone",
        BOTH,
        "children are talking and playing",
        ("child,talk", "child,play"),
        _actions,
    ),
    Rule("passive with agent", SPICE, "the ball is hit by a man", ("man,hit,ball",), _agents),
    Rule(
        "shared adjective",
        PLUS,
        "loud birds and insects are singing",
        ("insect,loud",),
        _shared_adjectives,
    ),
    Rule(
        "open complement",
        PLUS,
        "water continues to pour",
        ("water,continue to pour",),
        _open_complements,
    ),
    Rule(
        "background", PLUS, "a person walks in the background", ("person,background",), _backgrounds
    ),
)
