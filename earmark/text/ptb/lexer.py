"""Cuts text into Penn Treebank tokens."""

import re
from collections.abc import Iterator

from earmark.text.ptb.automaton import Machine, Vain
from earmark.text.ptb.parts import read_parts
from earmark.text.ptb.pattern import Pattern, Sequence, read_pattern
from earmark.text.ptb.rules import RULES, TokenRule

# Words of plain letters, each before a blank with at most a comma between. The rules always make
# one token of each, whatever its letters, but for the words that they cut in two. Most captions
# are almost wholly of this shape, and need no matching there.
PLAIN_RUN = re.compile(
    r"(?:(?!(?:cannot|gonna|wanna|gotta|lemme|gimme)\b)[A-Z]+,? )+", re.ASCII | re.IGNORECASE
)


class Follower:
    """Finds where the body of a rule ends when the rule also asks for what follows."""

    def __init__(self, body: Pattern, after: Pattern) -> None:
        self._body = Machine([body])
        self._after = Machine([after])

    def body_end(self, text: str, start: int, end: int) -> int:
        """Farthest end of the body such that the rest up to `end` is what has to follow."""
        for place in self._body.ends(text, start, end):
            if end in self._after.ends(text, place, end):
                return place
        return end


class Lexer:
    """The token rules made ready to run. Slow to make, so make one and keep it."""

    def __init__(self, rules: tuple[TokenRule, ...] = RULES) -> None:
        named = read_parts()
        bodies = [read_pattern(rule.body, named) for rule in rules]
        afters = [read_pattern(rule.after, named) if rule.after else None for rule in rules]
        pairs = list(zip(bodies, afters, strict=True))
        self._machine = Machine(
            body if after is None else Sequence((body, after)) for body, after in pairs
        )
        self._followers = [
            None if after is None else Follower(body, after) for body, after in pairs
        ]
        # One more at the end, found by the index NO_MATCH: what no rule knows gives no token.
        self._forms = [*(rule.form for rule in rules), None]
        self._given_back = [int(rule.gives_back_stop) for rule in rules]

    def tokens(self, text: str) -> Iterator[str]:
        """Tokens of a text, punctuation included, in their own case.

        `text` is as `as_units` writes it, and so are the tokens. Characters that no rule knows are
        dropped.
        """
        place = 0
        vain: Vain = set()
        while place < len(text):
            run = PLAIN_RUN.match(text, place)
            if run is not None:
                yield from run[0].replace(",", " ,").split()
                place = run.end()
                continue
            rule, end = self._machine.longest(text, place, vain)
            form = self._forms[rule]
            if form is not None:
                follower = self._followers[rule]
                if follower is not None:
                    end = follower.body_end(text, place, end)
                yield form(text[place:end])
                end -= self._given_back[rule]
            # A character that no rule knows is passed over.
            place = max(end, place + 1)


def as_units(text: str) -> str:
    """Write characters beyond U+FFFF as two surrogates, the units that the rules count in."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(map(chr, memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")))


def as_characters(units: str) -> str:
    """Undo `as_units`; half a pair becomes U+FFFD."""
    if units.isascii() or not any("\ud800" <= unit <= "\udfff" for unit in units):
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
