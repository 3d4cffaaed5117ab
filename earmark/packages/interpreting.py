"""From a tree of YAML to metadata, leniently: each deviation is read and noted.

Then what DCASE asks for beyond the form: the label, one corresponding author, known uses.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from earmark.packages.metadata import (
    FIELD_OF_BARE_TEXT,
    Author,
    Dataset,
    Metadata,
    Reader,
    SubmissionInfo,
)
from earmark.packages.metadata_fields import fields_relocated, plain_key
from earmark.packages.notes import MetadataNotes
from earmark.packages.scalars import (
    ReadScalar,
    is_null,
    read_any,
    read_text,
    without_unstorable,
)
from earmark.packages.tree import Items, Node, Pairs, Scalar

_BETWEEN = re.compile(r"\s*[,;\n]\s*")
_NOTHING = {"none", "no", "false", "n/a", "!!null", "-"}


def interpret(root: Pairs, notes: MetadataNotes, *, tell_moves: bool = True) -> Metadata:
    """Metadata of a tree; ``tell_moves`` notes keys that are elsewhere than in DCASE's files."""
    metadata = _MetadataReader(notes).part(
        Metadata, fields_relocated(root, notes, tell=tell_moves), ""
    )
    if not isinstance(metadata, Metadata):
        raise TypeError(f"not metadata: {metadata!r}")
    return metadata


def node_of(value: object) -> Node:
    """A tree of plain Python values, such as JSON's."""
    if isinstance(value, Mapping):
        pairs = [(Scalar(str(key), plain=False), node_of(item)) for key, item in value.items()]
        return Pairs(pairs)
    if isinstance(value, list | tuple):
        return Items([node_of(item) for item in value])
    if value is None:
        return Scalar("")
    if isinstance(value, bool):
        return Scalar(str(value).lower())
    if isinstance(value, int | float):
        return Scalar(repr(value))
    return Scalar(str(value), plain=False)


@dataclass
class _MetadataReader:
    notes: MetadataNotes

    def part(self, kind: type[Any], node: Node, path: str) -> Any:
        """Read a part of the metadata."""
        if isinstance(node, Items):
            return self._from_list(kind, node, path)
        if isinstance(node, Scalar):
            return self._from_text(kind, node, path)
        specs = {spec.name: spec for spec in fields(kind) if spec.name != "more"}
        values: dict[str, Any] = {}
        more: dict[str, Any] = {}
        for name, value in self._pairs(node, path, specs):
            place = _joined(path, name)
            if name not in specs:
                more[name] = self._any(value, place)
                continue
            spec = specs[name].metadata
            if "reader" in spec:
                values[name] = self._single(spec["reader"], value, place)
            elif "parts" in spec:
                values[name] = self._list(spec["parts"], value, place)
            else:
                values[name] = self.part(spec["part"], value, place)
        return kind(**values, more=more)

    def _pairs(self, node: Pairs, path: str, specs: Mapping[str, Any]) -> list[tuple[str, Node]]:
        """Each key once, under the name that it has in DCASE's files; of several the last."""
        pairs: dict[str, tuple[Scalar, Node]] = {}
        for key, value in node.pairs:
            plain = plain_key(key.text)
            name = plain if plain in specs else " ".join(without_unstorable(key.text).split())
            if name != key.text:
                self.notes.warn(key.line, _joined(path, key.text), "", f"Read as {name}.")
            if name in pairs:
                before = pairs.pop(name)[0].line
                where = f" in lines {before} and {key.line}" if before and key.line else ""
                self.notes.warn(
                    key.line,
                    _joined(path, name),
                    "",
                    f"Appears twice{where}; the later one was read.",
                )
            pairs[name] = (key, value)
        return [(name, value) for name, (_, value) in pairs.items()]

    def _from_text(self, kind: type[Any], node: Scalar, path: str) -> Any:
        if is_null(node):
            return kind()
        text = str(read_text(node).value or "")
        if kind is Author:
            firstname, _, lastname = text.rpartition(" ")
            self.notes.warn(node.line, path, node.text, "Read as the author's name.")
            return Author(lastname=lastname or None, firstname=firstname.strip() or None)
        name = FIELD_OF_BARE_TEXT.get(kind)
        if name is None:
            self.notes.warn(node.line, path, node.text, "Fields are expected here; kept as text.")
            return kind(more={"text": text})
        spec = next(spec for spec in fields(kind) if spec.name == name)
        self.notes.warn(node.line, path, node.text, f"Read as {name}.")
        return kind(**{name: self._single(spec.metadata["reader"], node, _joined(path, name))})

    def _from_list(self, kind: type[Any], node: Items, path: str) -> Any:
        """Read a list where one part is expected: the first item is taken."""
        first, *rest = node.items or [Scalar("")]
        part = self.part(kind, first, path)
        if not rest:
            return part
        self.notes.warn(node.line, path, "", "Only one is expected; the first one was read.")
        others = {"others": [self._any(item, path) for item in rest]}
        return replace(part, more={**part.more, **others})

    def _list(self, kind: type[Any], node: Node, path: str) -> tuple[Any, ...]:
        """Read a list of parts; a single part, or a text with commas, is a list too."""
        if isinstance(node, Scalar):
            text = str(read_text(node).value or "")
            if not text or text.lower() in _NOTHING:
                if text:
                    self.notes.warn(node.line, path, text, "Read as none.")
                return ()
            names = [name for name in _BETWEEN.split(text) if name]
            if node.line is not None:
                self.notes.warn(node.line, path, text, f"Read as a list of {len(names)}.")
            items: list[Node] = [Scalar(name, plain=False) for name in names]
        elif isinstance(node, Pairs):
            items = _numbered(node) or [node]
            self.notes.warn(node.line, path, "", "A list is expected; read as a list of one.")
        else:
            items = [
                item for item in node.items if not (isinstance(item, Scalar) and is_null(item))
            ]
        parts = [
            self._item(kind, item, f"{path}[{number}]") for number, item in enumerate(items, 1)
        ]
        return tuple(item for item in parts if item != kind())

    def _item(self, kind: type[Any], node: Node, path: str) -> Any:
        if kind is Dataset and isinstance(node, Scalar) and node.line is None:
            return Dataset(name=_text(read_text(node)))
        return self.part(kind, node, path)

    def _single(self, reader: Reader, node: Node, path: str) -> Any:
        if not isinstance(node, Scalar):
            text = _flat(node)
            self.notes.warn(node.line, path, text, "One value is expected; read as this text.")
            return reader(Scalar(text, plain=False)).value
        read = reader(node)
        self.notes.warn_about(node.line, path, node.text, read.note)
        return read.value

    def _any(self, node: Node, path: str) -> Any:
        """An unknown value as it is."""
        if isinstance(node, Scalar):
            return read_any(node).value
        if isinstance(node, Items):
            return [self._any(item, path) for item in node.items]
        return {name: self._any(value, path) for name, value in self._pairs(node, path, {})}


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _numbered(node: Pairs) -> list[Node]:
    """The parts of a mapping that numbers them: author1, author2, or 1, 2."""
    if all(
        re.search(r"\d+\s*$", key.text) and isinstance(value, Pairs) for key, value in node.pairs
    ):
        return [value for _, value in node.pairs]
    return []


def _text(read: ReadScalar) -> str | None:
    return None if read.value is None else str(read.value)


def _flat(node: Node) -> str:
    """A list or a mapping on one line."""
    if isinstance(node, Scalar):
        return _text(read_text(node)) or ""
    if isinstance(node, Items):
        return ", ".join(filter(None, map(_flat, node.items)))
    return ", ".join(f"{without_unstorable(key.text)}: {_flat(value)}" for key, value in node.pairs)


LABEL = re.compile(r"[^\W_][^\s_]*_[^\s_]+_task\d+[a-z]?_[1-9]\d?")
USES = ("audio_modelling", "word_modelling", "audio_and_word_modelling")
MAX_ABBREVIATION = 10
_SHAPE = "<LastName>_<Institute>_task6_<1-4>, such as Kim_SNU_task6_1"


def dcase_checked(metadata: Metadata, notes: MetadataNotes) -> Metadata:
    """The metadata with one corresponding author; what DCASE would not accept is noted."""
    about = metadata.submission
    _check_label(about, notes)
    about = _one_corresponding(about, notes)
    datasets = tuple(
        _known_use(dataset, number, notes)
        for number, dataset in enumerate(metadata.system.external_datasets, 1)
    )
    system = replace(metadata.system, external_datasets=datasets)
    return replace(metadata, submission=about, system=system)


def _check_label(about: SubmissionInfo, notes: MetadataNotes) -> None:
    if about.label and not LABEL.fullmatch(about.label):
        notes.warn(None, "submission.label", about.label, f"DCASE's labels are {_SHAPE}.")
    if about.abbreviation and len(about.abbreviation) > MAX_ABBREVIATION:
        notes.warn(
            None,
            "submission.abbreviation",
            about.abbreviation,
            f"DCASE allows at most {MAX_ABBREVIATION} characters here; kept as it is.",
        )


def _one_corresponding(about: SubmissionInfo, notes: MetadataNotes) -> SubmissionInfo:
    marked = [at for at, author in enumerate(about.authors) if author.corresponding is True]
    if len(marked) == 1 or not about.authors:
        return about
    if not marked:
        notes.warn(None, "submission.authors", "", "No author is marked as corresponding.")
        return about
    names = ", ".join(str(at + 1) for at in marked)
    notes.warn(
        None,
        "submission.authors",
        "",
        f"Authors {names} are marked as corresponding; the first of them was used.",
    )
    authors = tuple(
        replace(author, corresponding=False) if at in marked[1:] else author
        for at, author in enumerate(about.authors)
    )
    return replace(about, authors=authors)


def _known_use(dataset: Dataset, number: int, notes: MetadataNotes) -> Dataset:
    """A data set with its use in DCASE's words, where it is clear which is meant."""
    used_for = dataset.used_for
    if not used_for or used_for in USES:
        return dataset
    path = f"system.external_datasets[{number}].used_for"
    plain = re.sub(r"[\s\-]+", "_", used_for.lower()).replace("modeling", "modelling")
    if plain in USES:
        notes.warn(None, path, used_for, f"Read as {plain}.")
        return replace(dataset, used_for=plain)
    notes.warn(None, path, used_for, f"DCASE knows {', '.join(USES)}; kept as it is.")
    return dataset
