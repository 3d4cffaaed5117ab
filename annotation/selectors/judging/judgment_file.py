"""Judgments as a file in the form of AudioCaps-Eval, which ``scoring.benchmark`` reads."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.selectors.judging.votes import JudgedPair
from scoring.benchmark import MM_PAIRS


def judgment_file(pairs: Iterable[JudgedPair], references: Mapping[int, Sequence[str]]) -> bytes:
    """The pairs with their votes; ``references`` are those of each clip, by position.

    An item of the file has one pair of each kind and several of two systems; a clip of which
    there are more stands there more than once.
    """
    by_clip: defaultdict[int, defaultdict[str, list[JudgedPair]]]
    by_clip = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        by_clip[pair.clip][pair.facet].append(pair.in_order)
    items = [
        item
        for clip, of_facets in sorted(by_clip.items())
        for item in _items(of_facets, references[clip])
    ]
    return json.dumps(items, ensure_ascii=False, indent=1).encode()


def _items(
    of_facets: Mapping[str, Sequence[JudgedPair]], references: Sequence[str]
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for facet, pairs in of_facets.items():
        names = MM_PAIRS if facet == "MM" else (facet,)
        for at, pair in enumerate(pairs):
            number, place = divmod(at, len(names))
            if number == len(items):
                items.append({"references": list(references)})
            items[number][names[place]] = _row(pair)
    return items


def _row(pair: JudgedPair) -> list[Any]:
    sources = (_source_id(source) for source in pair.sources)
    return [*pair.captions, *sources, list(pair.votes.values())]


def _source_id(source: Mapping[str, Any]) -> str:
    """What names a caption's source in the file."""
    if "system" in source:
        return str(source["system"])
    return f"reference_{source['clip'] + 1}_{source['reference'] + 1}"
