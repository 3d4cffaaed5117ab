"""Parses of captions as they are written, with the place of each word, and the names in them.

``earmark.text.parse`` reads captions in one dress, as metrics need it; here capitals and
punctuation stay, since names are told by them and findings are shown in the caption itself.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from earmark.runtime import Heartbeat
from earmark.text.parser import load_pipeline
from earmark.workspace import Workspace

_BATCH = 128
# What spaCy cannot store (half characters), as something that it can: lengths stay.
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PlacedToken:
    """A word or mark of a caption.

    ``start`` and ``end`` are code points, end exclusive; ``lemma`` is lower-case, ``tag`` the
    Penn Treebank tag, ``dep`` the label of the arc from the token ``head`` (an index).
    """

    start: int
    end: int
    word: str
    lemma: str
    tag: str
    dep: str
    head: int


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """A stretch that spaCy takes for a name, a number or a time; ``label`` is of OntoNotes."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class PlacedParse:
    """Tokens of a caption in order, white space left out, and the entities among them."""

    tokens: tuple[PlacedToken, ...]
    entities: tuple[NamedEntity, ...]


def parse_in_place(
    captions: Iterable[str], workspace: Workspace, *, heartbeat: Heartbeat | None = None
) -> list[PlacedParse]:
    """Parses of captions in order; every distinct one is parsed once per workspace.

    Any text is taken. ``heartbeat(done, total)`` counts the captions that are new. Raises
    ``ParserMissing``.
    """

    def parsed(new: list[str]) -> Iterator[PlacedParse]:
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            storable = (_HALF_CHARACTER.sub("\ufffd", text) for text in batch)
            yield from map(_placed, load_pipeline(entities=True).pipe(storable, batch_size=_BATCH))
            if heartbeat is not None:
                heartbeat(start + len(batch), len(new))

    return workspace.computed_once("parses in place", list(captions), parsed)


def _placed(document: Any) -> PlacedParse:
    kept = [token for token in document if not token.is_space]
    at = {token.i: index for index, token in enumerate(kept)}
    tokens = tuple(
        PlacedToken(
            token.idx,
            token.idx + len(token.text),
            token.text,
            token.lemma_.lower(),
            token.tag_,
            token.dep_,
            at.get(token.head.i, at[token.i]),
        )
        for token in kept
    )
    entities = (NamedEntity(one.start_char, one.end_char, one.label_) for one in document.ents)
    return PlacedParse(tokens, tuple(entities))
