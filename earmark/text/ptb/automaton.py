"""Matches many patterns at once: the longest match wins, and of equal ones the first pattern.

The states of the matching machine are built when a text first needs them and kept, so that the
cost per character is one dictionary look-up. There are finitely many of them (a few thousand for
the token rules), and look-ups are kept for common characters only, so that no text can fill the
memory.
"""

from collections.abc import Iterable
from itertools import count

from earmark.text.ptb.characters import Alphabet, CharacterSet
from earmark.text.ptb.pattern import Alternation, Pattern, Repeat, Sequence

COMMON_BELOW = "\u3000"
NO_MATCH = -1


class PatternNetwork:
    """The patterns as a network of places joined by steps (Thompson's construction)."""

    def __init__(self) -> None:
        self.alphabet = Alphabet()
        self.free: dict[int, list[int]] = {}
        self.steps: dict[int, tuple[int, int]] = {}
        self.ends: dict[int, int] = {}
        self._places = count()

    def place(self) -> int:
        """Make a place that nothing leaves yet."""
        return next(self._places)

    def join(self, start: int, end: int) -> None:
        """Let one place be reached from another without reading a character."""
        self.free.setdefault(start, []).append(end)

    def add(self, pattern: Pattern, start: int) -> int:
        """Add a pattern that begins at a place; returns the place where it ends."""
        match pattern:
            case CharacterSet():
                return self._add_step(pattern, start)
            case Sequence(parts):
                for part in parts:
                    start = self.add(part, start)
                return start
            case Alternation(options):
                end = self.place()
                for option in options:
                    self.join(self.add(option, self._branch(start)), end)
                return end
            case Repeat(part, low, high):
                return self._add_repeat(part, low, high, start)

    def _add_step(self, members: CharacterSet, start: int) -> int:
        origin, end = self._branch(start), self.place()
        self.steps[origin] = (self.alphabet.add(members), end)
        return end

    def _branch(self, start: int) -> int:
        branch = self.place()
        self.join(start, branch)
        return branch

    def _add_repeat(self, part: Pattern, low: int, high: int | None, start: int) -> int:
        for _ in range(low):
            start = self.add(part, start)
        if high is None:
            loop = self._branch(start)
            self.join(self.add(part, loop), loop)
            return self._branch(loop)
        end = self.place()
        self.join(start, end)
        for _ in range(high - low):
            start = self.add(part, start)
            self.join(start, end)
        return end

    def spread(self, places: Iterable[int]) -> frozenset[int]:
        """Places reached without reading a character, of those where a step or an end is."""
        waiting = list(places)
        reached = set(waiting)
        while waiting:
            fresh = [end for end in self.free.get(waiting.pop(), ()) if end not in reached]
            reached.update(fresh)
            waiting.extend(fresh)
        return frozenset(place for place in reached if place in self.steps or place in self.ends)


class State(dict[str, "State | None"]):
    """State of the machine after some characters: the next state for each character.

    None as the next state means that no pattern goes on. `pattern` is the number of the first
    pattern that matches here, or NO_MATCH.
    """

    __slots__ = ("by_class", "machine", "pattern", "places")

    def __init__(self, machine: "Machine", places: frozenset[int], pattern: int) -> None:
        super().__init__()
        self.machine = machine
        self.places = places
        self.pattern = pattern
        self.by_class: dict[int, State | None] = {}

    def __missing__(self, char: str) -> "State | None":
        """Work out the next state for a character not met here before."""
        mask = self.machine.network.alphabet.classify(char)
        if mask not in self.by_class:
            self.by_class[mask] = self.machine.follow(self.places, mask)
        state = self.by_class[mask]
        if char < COMMON_BELOW:
            self[char] = state
        return state


# States (by identity; a machine keeps its states) after characters at places of a text, from
# which no match is reached.
Vain = set[tuple[int, int]]
# So many characters are looked at in vain before it is noted: more than captions have need of.
FAR = 32


class Machine:
    """Finds the longest match of any of the patterns at a place of a text."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self.network = PatternNetwork()
        origin = self.network.place()
        for number, pattern in enumerate(patterns):
            branch = self.network.place()
            self.network.join(origin, branch)
            self.network.ends[self.network.add(pattern, branch)] = number
        self._states: dict[frozenset[int], State] = {}
        self._spreads: dict[int, frozenset[int]] = {}
        self.start = self._state(self.network.spread([origin]))

    def _state(self, places: frozenset[int]) -> State:
        known = self._states.get(places)
        if known is not None:
            return known
        ends = [self.network.ends[place] for place in places if place in self.network.ends]
        return self._states.setdefault(places, State(self, places, min(ends, default=NO_MATCH)))

    def _spread(self, place: int) -> frozenset[int]:
        if place not in self._spreads:
            self._spreads[place] = self.network.spread([place])
        return self._spreads[place]

    def follow(self, places: frozenset[int], mask: int) -> State | None:
        """State after a character of the given class, or None when no pattern goes on."""
        steps = (self.network.steps[place] for place in places if place in self.network.steps)
        ends = [self._spread(end) for number, end in steps if mask >> number & 1]
        return self._state(frozenset().union(*ends)) if ends else None

    def longest(self, text: str, start: int, vain: Vain | None = None) -> tuple[int, int]:
        """Number of the pattern with the longest match from `start`, and the end of the match.

        (NO_MATCH, start) when no pattern matches. A match of nothing is not looked for.
        `vain` has what earlier calls noted about this text: an empty set for the first.
        """
        state = best = self.start
        pattern, end, place = NO_MATCH, start, start
        for place in range(start, len(text)):
            reached = state[text[place]]
            if reached is None or (vain and (id(reached), place) in vain):
                break
            state = reached
            if state.pattern != NO_MATCH:
                pattern, end, best = state.pattern, place + 1, state
        if vain is not None and place - end > FAR:
            self._note(text, end, place, best, vain)
        return pattern, end

    @staticmethod
    def _note(text: str, start: int, stop: int, state: State, vain: Vain) -> None:
        """Note the states after the end of the longest match: from none of them is there one.

        Else each character of a long run would be looked at from each before it (T. Reps,
        "Maximal-munch" tokenization in linear time, 1998).
        """
        for place in range(start, stop):
            reached = state[text[place]]
            if reached is None:
                break
            state = reached
            vain.add((id(state), place))

    def ends(self, text: str, start: int, limit: int) -> list[int]:
        """Places up to `limit` where a match from `start` ends, the farthest first."""
        state = self.start
        ends = [start] if state.pattern != NO_MATCH else []
        for place in range(start, limit):
            reached = state[text[place]]
            if reached is None:
                break
            state = reached
            if state.pattern != NO_MATCH:
                ends.append(place + 1)
        return ends[::-1]
