"""Fields of the metadata: where each belongs, how people write it, and moving misplaced ones.

Real files have the authors at the top level, the description's fields next to
the description, the institute next to the affiliation. A key is moved only where
a single place can be meant.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from earmark.packages.metadata import FIELD_OF_BARE_TEXT, Metadata
from earmark.packages.notes import MetadataNotes, dotted
from earmark.packages.scalars import is_null
from earmark.packages.tree import Items, Node, Pairs, Scalar

Path = tuple[str, ...]
# What people write for a key; compared without case, and with _ for other marks.
SYNONYMS = {
    "last_name": "lastname",
    "surname": "lastname",
    "family_name": "lastname",
    "first_name": "firstname",
    "given_name": "firstname",
    "e_mail": "email",
    "mail": "email",
    "institution": "institute",
    "audio_modeling": "audio_modelling",
    "word_modeling": "word_modelling",
    "optimiser": "optimizer",
    "total_params": "total_parameters",
    "num_parameters": "total_parameters",
    "spider_fl": "spiderfl",
    "external_data": "external_datasets",
    "code": "source_code",
}


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """The place of a field; ``listed`` where it is in the items of a list.

    ``holds`` is the part that it holds, ``many`` where it holds a list of them.
    """

    path: Path
    listed: bool
    holds: type[Any] | None
    many: bool = False


def plain_key(key: str) -> str:
    """A key under the name that it has in DCASE's files."""
    plain = re.sub(r"[\s\-]+", "_", key.strip().lower()).strip("_")
    return SYNONYMS.get(plain, plain)


def _walk(kind: type[Any], path: Path, *, listed: bool) -> Iterator[tuple[str, FieldPlace]]:
    for spec in fields(kind):
        if spec.name == "more":
            continue
        holds = spec.metadata.get("part") or spec.metadata.get("parts")
        yield spec.name, FieldPlace(path, listed, holds, "parts" in spec.metadata)
        if holds is not None:
            inner = listed or "parts" in spec.metadata
            yield from _walk(holds, (*path, spec.name), listed=inner)


FIELD_PLACES: dict[str, list[FieldPlace]] = {}
for _name, _home in _walk(Metadata, (), listed=False):
    FIELD_PLACES.setdefault(_name, []).append(_home)


def field_place(key: str) -> FieldPlace | None:
    """The only place outside of lists where a key belongs, None where there are several."""
    single = [home for home in FIELD_PLACES.get(plain_key(key), ()) if not home.listed]
    return single[0] if len(single) == 1 else None


# Labels of the characteristics, in the order of forms and tables.
CHARACTERISTICS = {
    "audio_modelling": "Encoder",
    "word_modelling": "Decoder",
    "total_parameters": "Parameters",
    "external_datasets": "External data",
    "source_code": "Source code",
}
_PLACES = {name: (*FIELD_PLACES[name][0].path, name) for name in CHARACTERISTICS}


def characteristics_of(metadata: Any) -> dict[str, str | int]:
    """The characteristics in ``Submission.metadata``, without those that the team left out.

    Also left out are parameters that are no number; data sets are named on one line. Never fails.
    """
    characteristics: dict[str, str | int] = {}
    for name in CHARACTERISTICS:
        value = characteristic_value(metadata, name)
        if name == "external_datasets":
            value = ", ".join(_names(value))
        if name == "total_parameters" and type(value) is int:
            characteristics[name] = value
        elif name != "total_parameters" and value not in (None, ""):
            characteristics[name] = str(value)
    return characteristics


def characteristic_value(metadata: Any, name: str) -> Any:
    """Stored value of a characteristic of ``CHARACTERISTICS``, None where there is none.

    They have DCASE's nesting; what was stored before has these names at the top.
    """
    here = metadata
    for key in _PLACES[name]:
        here = here.get(key) if isinstance(here, Mapping) else None
    if here is None and isinstance(metadata, Mapping):
        return metadata.get(name)
    return here


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if not isinstance(value, list):
        return ()
    names = [item.get("name") if isinstance(item, Mapping) else item for item in value]
    return tuple(str(name) for name in names if name)


def fields_relocated(root: Pairs, notes: MetadataNotes, *, tell: bool) -> Pairs:
    """A copy of a tree with every key in its place; ``tell`` notes each move as a warning."""
    mover = _FieldMover(notes)
    new = mover.copy_pairs(root, Metadata, (), listed=False)
    for path, home, key, value in mover.strays:
        target = _container(new, home.path)
        place = dotted((*home.path, plain_key(key.text)))
        stray = dotted((*path, key.text))
        if target is None or any(True for _ in _pairs_at(target, plain_key(key.text))):
            notes.warn(value.line, stray, "", f"Not read, because {place} is also given.")
            continue
        target.pairs.append((key, value))
        if tell:
            notes.warn(value.line, stray, "", f"Belongs to {place}, and was read there.")
    return new


@dataclass
class _FieldMover:
    notes: MetadataNotes
    # Where a key was found, where it belongs, the key and its value.
    strays: list[tuple[Path, FieldPlace, Scalar, Node]] = field(default_factory=list)

    def copy(self, node: Node, kind: type[Any] | None, path: Path, *, listed: bool) -> Node:
        if kind is None:
            return node
        if isinstance(node, Items):
            copied = [self.copy(item, kind, path, listed=True) for item in node.items]
            return Items(copied, node.line)
        if isinstance(node, Pairs):
            return self.copy_pairs(node, kind, path, listed=listed)
        return node

    def copy_pairs(self, node: Pairs, kind: type[Any], path: Path, *, listed: bool) -> Pairs:
        notes = self.notes
        single = {spec.name for spec in fields(kind) if "part" in spec.metadata}
        known = {spec.name: _holds(spec.metadata) for spec in fields(kind) if spec.name != "more"}
        new = Pairs([], node.line)
        for key, value in node.pairs:
            name = plain_key(key.text)
            if name in known:
                part = _first_part(value, notes, (*path, name)) if name in single else value
                copied = self.copy(part, known[name], (*path, name), listed=listed)
                new.pairs.append((key, copied))
            elif (home := _elsewhere(kind, name, path, listed=listed)) and _fits(home, value):
                place = (*home.path, name)
                part = _first_part(value, notes, place) if home.holds and not home.many else value
                copied = self.copy(part, home.holds, place, listed=home.listed)
                if listed:
                    _inside(new, home.path[-1]).pairs.append((key, copied))
                else:
                    self.strays.append((path, home, key, copied))
            else:
                new.pairs.append((key, value))
        return new


def _first_part(node: Node, notes: MetadataNotes, path: Path) -> Node:
    """The fields of a list where fields are expected: of several parts the first is taken."""
    while isinstance(node, Items) and len(node.items) == 1:
        node = node.items[0]
    if not isinstance(node, Items) or not node.items:
        return node
    # Where the first is a list itself, the first of that is meant.
    first, rest = _first_part(node.items[0], notes, path), node.items[1:]
    if not isinstance(first, Pairs):
        return node
    pairs = [first, *(item for item in rest if isinstance(item, Pairs))]
    if len(pairs) == len(node.items) and all(len(item.pairs) == 1 for item in pairs):
        notes.warn(node.line, dotted(path), "", "A list of fields; read as fields.")
        return Pairs([item.pairs[0] for item in pairs], node.line)
    notes.warn(node.line, dotted(path), "", "Only one is expected; the first one was read.")
    return Pairs([*first.pairs, (Scalar("others"), Items(rest, node.line))], node.line)


def _holds(metadata: Any) -> type[Any] | None:
    kind: type[Any] | None = metadata.get("part") or metadata.get("parts")
    return kind


def _elsewhere(kind: type[Any], name: str, path: Path, *, listed: bool) -> FieldPlace | None:
    """The place of a key that ``kind`` does not have: in a part of it, else anywhere."""
    for spec in fields(kind):
        for inner in fields(spec.metadata["part"]) if "part" in spec.metadata else ():
            if inner.name == name != "more":
                many = "parts" in inner.metadata
                return FieldPlace((*path, spec.name), listed, _holds(inner.metadata), many)
    return None if listed else field_place(name)


def _fits(home: FieldPlace, value: Node) -> bool:
    if home.holds is None:
        return not isinstance(value, Pairs)
    return not isinstance(value, Scalar) or home.holds in FIELD_OF_BARE_TEXT


def _pairs_at(pairs: Pairs, name: str) -> Iterator[int]:
    return (at for at, (key, _) in enumerate(pairs.pairs) if plain_key(key.text) == name)


def _inside(pairs: Pairs, name: str) -> Pairs:
    """The mapping under a key; it is made where there is none."""
    at = next(_pairs_at(pairs, name), None)
    if at is not None and isinstance(mapping := pairs.pairs[at][1], Pairs):
        return mapping
    new = Pairs([], pairs.line)
    if at is None or _null(pairs.pairs[at][1]):
        pairs.pairs.append((Scalar(name), new))
    return new


def _container(root: Pairs, path: Path) -> Pairs | None:
    """The mapping at a path, created where it is missing; None where something else is there."""
    here = root
    for name in path:
        at = next(_pairs_at(here, name), None)
        if at is None:
            new = Pairs([], here.line)
            here.pairs.append((Scalar(name), new))
            here = new
            continue
        node = here.pairs[at][1]
        if _null(node):
            node = Pairs([], node.line)
            here.pairs[at] = (here.pairs[at][0], node)
        if not isinstance(node, Pairs):
            return None
        here = node
    return here


def _null(node: Node) -> bool:
    return isinstance(node, Scalar) and is_null(node)
