"""METEOR 1.5's choice among possible matches: a beam search from left to right.

It prefers alignments that cover more words, then those with fewer chunks, then
those with shorter distances. The search is repeated here with all it implies,
as the reference program's numbers depend on it:

- the search counts a match of n words as n where the words are equal and as
  n // 2 otherwise (Java truncates the sum of halves), so that a single word's
  stem or synonym match weighs nothing in the search;
- the distance of a new match is added to the path it branches off from, not to
  the new path;
- sorting is stable and takes place before every word.

Source: the behaviour of METEOR 1.5, class Aligner, PARTIAL_COMPARE_TOTAL.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

BEAM = 40
# A caption of one word five hundred times takes seconds: after so many words ``tick`` is
# called, which may stop it. Captions as people write them are shorter, and cost no call.
TICK_EVERY = 16

# Kinds of match, in the order in which METEOR looks for them. A forward paraphrase has
# its phrase in the reference, a backward one in the candidate.
EXACT, STEM, SYNONYM, FORWARD, BACKWARD = range(5)

# (start, kind, 3 numbers that order matches of the same start and kind, length,
# candidate start, candidate length): words of the reference and their counterpart.
# Plain tuples, sorted by the first five, as a corpus has some 100,000 of them.
Match = tuple[int, int, int, int, int, int, int, int]

# A path's standing is one number, lower is better: weighted words covered (negative),
# then chunks, then distance, each with more room than a caption can fill.
_CHUNK = 1 << 32
_COVERED = 1 << 56

# (standing, first free word, end of the last match in the candidate or -1, used words of
# the candidate as bits, chosen matches as a chain)
_Path = tuple[int, int, int, int, Any]
_standing = itemgetter(0)

# (match, bits of its candidate words, gain in standing, candidate start, candidate end,
# end, distance)
_Option = tuple[Match, int, int, int, int, int, int]

# Called now and then while something long is going on; may raise to stop it.
Tick = Callable[[], None]


def go_on() -> None:
    """Let the work go on."""


def align(
    matches: Sequence[Match], candidate_length: int, length: int, tick: Tick = go_on
) -> list[Match]:
    """Choose the alignment; ``matches`` are sorted, the result is in order of start.

    ``candidate_length`` and ``length`` are the words of candidate and reference;
    ``tick`` is called every few words.
    """
    if not matches:
        return []
    options, touched, candidate_touched = _lay_out(matches, candidate_length, length)
    paths: list[_Path] = [(0, 0, -1, 0, None)]
    for current, here in enumerate(options):
        if current % TICK_EVERY == TICK_EVERY - 1:
            tick()
        if len(paths) > 1:
            paths.sort(key=_standing)
            del paths[BEAM:]
        if not here:
            paths = [
                path
                if path[2] < 0 or current < path[1]
                else (path[0] + _CHUNK, path[1], -1, path[3], path[4])
                for path in paths
            ]
            continue
        if len(here) == 1:
            _, _, _, start, stop, end, _ = here[0]
            if max(touched[current:end]) == 1 and max(candidate_touched[start:stop]) == 1:
                paths = _take(paths, here[0])
                continue
        paths = _branch(paths, current, here)
    return _best(paths)


def _lay_out(
    matches: Sequence[Match], candidate_length: int, length: int
) -> tuple[list[list[_Option]], list[int], list[int]]:
    """Sort matches by start, and count for every word of both sides the matches that touch it."""
    options: list[list[_Option]] = [[] for _ in range(length)]
    touched = [0] * length
    candidate_touched = [0] * candidate_length
    for match in matches:
        start, kind, _, _, _, span, candidate_start, candidate_span = match
        end = start + span
        candidate_end = candidate_start + candidate_span
        for at in range(start, end):
            touched[at] += 1
        for at in range(candidate_start, candidate_end):
            candidate_touched[at] += 1
        weight = span + candidate_span if kind == EXACT else span // 2 + candidate_span // 2
        bits = (1 << candidate_end) - (1 << candidate_start)
        distance = abs(start - candidate_start)
        options[start].append(
            (match, bits, -weight * _COVERED, candidate_start, candidate_end, end, distance)
        )
    return options, touched, candidate_touched


def _take(paths: Sequence[_Path], option: _Option) -> list[_Path]:
    """Add a match that no other touches: every path has it."""
    match, _, gain, start, stop, end, distance = option
    joined = gain + distance
    apart = joined + _CHUNK
    return [
        (
            standing + (joined if last < 0 or last == start else apart),
            end,
            stop,
            used,
            (chain, match),
        )
        for standing, _, last, used, chain in paths
    ]


def _branch(paths: Sequence[_Path], current: int, options: Sequence[_Option]) -> list[_Path]:
    """Try every match of a word, and leaving the word out."""
    out: list[_Path] = []
    add = out.append
    for path in paths:
        standing, free, last, used, chain = path
        if current < free:
            add(path)
            continue
        apart = 0 if last < 0 else _CHUNK
        for match, bits, gain, start, stop, end, distance in options:
            if used & bits:
                continue
            new = standing + gain if start == last else standing + gain + apart
            add((new, end, stop, used | bits, (chain, match)))
            standing += distance
        add((standing + apart, free, -1, used, chain))
    return out


def _best(paths: list[_Path]) -> list[Match]:
    """Matches of the best path in the beam, once the last chunk of each is closed."""
    paths.sort(key=_standing)
    closed = ((path[0] + (_CHUNK if path[2] >= 0 else 0), path[4]) for path in paths[:BEAM])
    chain = min(closed, key=_standing)[1]
    chosen = []
    while chain:
        chain, match = chain
        chosen.append(match)
    return chosen[::-1]
