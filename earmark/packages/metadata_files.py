"""Metadata files: reading, merging and writing them."""

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import yaml

from earmark.captions import Fault, ReadResult
from earmark.captions.faults import count_of
from earmark.packages.interpreting import dcase_checked, interpret, node_of
from earmark.packages.metadata import Dataset, Metadata
from earmark.packages.notes import MetadataNotes
from earmark.packages.scalars import read_any
from earmark.packages.tree import Items, Node, Pairs, Scalar, YamlUnreadable, tree_read

MAX_BYTES = 100_000
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
# Comments may begin with tabs.
_TABBED = re.compile(r"^ *\t\s*[^\s#]", re.MULTILINE)
_NOT_TEXT = {b"PK\x03\x04": "a zip archive", b"%PDF": "a PDF document", b"\x1f\x8b": "an archive"}


def metadata_read(data: bytes, *, file: str | None = None) -> ReadResult[Metadata]:
    """Read a metadata file leniently; an error only where it cannot be understood.

    ``file`` is its name, for the faults. No content makes this raise.
    """
    notes = MetadataNotes(file)
    try:
        root = _root(_tree(_decoded(data, notes), notes))
    except YamlUnreadable as error:
        message = error.message if error.message.endswith(".") else f"{error.message}."
        at = f" (column {error.column})" if error.column else ""
        fault = Fault(
            error.line,
            None,
            _line(data, error.line),
            f"The metadata cannot be read{at}: {message} Correct the file, or leave it out.",
            file=file,
        )
        return ReadResult(None, (fault, *notes.faults))
    metadata = dcase_checked(interpret(root, notes), notes)
    return ReadResult(metadata, notes.faults)


def metadata_of(value: Mapping[str, Any]) -> ReadResult[Metadata]:
    """Read metadata from plain values, such as a JSON object or what is stored.

    Keys may stand outside of DCASE's nesting, as in the form of the pages.
    Raises nothing; depth and size are the caller's to bound.
    """
    notes = MetadataNotes()
    node = node_of(value)
    root = node if isinstance(node, Pairs) else Pairs()
    return ReadResult(dcase_checked(interpret(root, notes, tell_moves=False), notes), notes.faults)


def _decoded(data: bytes, notes: MetadataNotes) -> str:
    if len(data) > MAX_BYTES:
        raise YamlUnreadable(
            f"The file has {len(data):,} bytes and the limit is {MAX_BYTES:,}. "
            "Check that it is the right one"
        )
    for magic, what in _NOT_TEXT.items():
        if data.startswith(magic):
            raise YamlUnreadable(f"This is {what} and not YAML")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data.decode(encoding, errors="replace").removeprefix("\ufeff")
            if encoding != "utf-8-sig":
                notes.warn(
                    1,
                    "",
                    "",
                    f"Encoded as {encoding.upper()}; read in that encoding. Save the file "
                    "as UTF-8.",
                )
            break
    else:
        text = _utf8(data, notes)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _utf8(data: bytes, notes: MetadataNotes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        notes.warn(line, "", "", "Not UTF-8; read as Windows-1252. Save the file as UTF-8.")
        return data.decode("cp1252", errors="replace")


def _tree(text: str, notes: MetadataNotes) -> Node | None:
    """Read the text as it is, or with spaces for tabs where no YAML reader takes those."""
    controls = [at for at, char in enumerate(text) if _forbidden(char)]
    if controls:
        line = text.count("\n", 0, controls[0]) + 1
        many = count_of(len(controls), "character")
        notes.warn(line, "", "", f"{many} that do not belong in a text file; left out.")
        text = "".join(char for char in text if not _forbidden(char))
    try:
        return tree_read(text)
    except YamlUnreadable as refused:
        return _without_tabs(text, refused, notes)


def _forbidden(char: str) -> bool:
    code = ord(char)
    return (
        (code < 32 and char not in "\t\n")
        or (0x7F <= code < 0xA0 and code != 0x85)
        or 0xD800 <= code <= 0xDFFF
        or code in {0xFEFF, 0xFFFE, 0xFFFF}
    )


def _without_tabs(text: str, refused: YamlUnreadable, notes: MetadataNotes) -> Node | None:
    """The tree of a text that was refused, if tabs between its words are why."""
    if tabbed := _TABBED.search(text):
        line = text.count("\n", 0, tabbed.start()) + 1
        raise YamlUnreadable(
            "YAML does not allow tabs for indentation. Use spaces", line, 1
        ) from refused
    tabs = [number for number, line in enumerate(text.split("\n"), 1) if "\t" in line]
    if not tabs:
        raise refused
    tree = tree_read(text.replace("\t", " "))
    many = count_of(len(tabs), "line")
    notes.warn(tabs[0], "", "", f"Tabs in {many}, which YAML does not allow; read as spaces.")
    return tree


def _root(node: Node | None) -> Pairs:
    if isinstance(node, Pairs):
        return node
    if node is None or (isinstance(node, Scalar) and not node.text.strip()):
        raise YamlUnreadable("The file is empty")
    what = "a list" if isinstance(node, Items) else "a text"
    raise YamlUnreadable(f"The file is {what}, but names and values are expected", node.line, 1)


def _line(data: bytes, number: int | None) -> str:
    """The line to which a fault belongs."""
    if number is None:
        return ""
    lines: Iterator[str] = iter(data[:MAX_BYTES].decode("utf-8", errors="replace").splitlines())
    return next((line.strip() for at, line in enumerate(lines, 1) if at == number), "")


HEAD = "# System description, written by Earmark in the terms of DCASE.\n"


class _Dumper(yaml.SafeDumper):
    """Quotes every text that would not be read back as that text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: aliases are for machines."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of lists, as DCASE's templates do."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None if read_any(Scalar(value)).value == value and value else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


_Dumper.add_representer(
    type(None), lambda dumper, _none: dumper.represent_scalar("tag:yaml.org,2002:null", "")
)


def metadata_write(metadata: Metadata, *, blanks: bool = False) -> str:
    """A YAML file of metadata in DCASE's names and nesting.

    Empty fields are left out, or with ``blanks`` are there to be filled in.
    """
    laid_out = _with_blanks(metadata) if blanks else metadata.to_dict()
    body = yaml.dump(laid_out, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return HEAD + body


def _with_blanks(value: Any) -> dict[str, Any]:
    """A part with every field that DCASE knows; an empty list shows one item."""
    values: dict[str, Any] = {}
    for spec in fields(value):
        inner = getattr(value, spec.name)
        if "parts" in spec.metadata:
            values[spec.name] = [_with_blanks(item) for item in inner or [spec.metadata["parts"]()]]
        elif "part" in spec.metadata:
            values[spec.name] = _with_blanks(inner)
        elif spec.name != "more":
            values[spec.name] = inner
    return {**values, **value.more}


def metadata_merged(base: Metadata | None, over: Mapping[str, Any]) -> Metadata:
    """Metadata of ``base`` with the values of ``over`` in place of its own, lists as a whole."""
    typed = metadata_of(over).value or Metadata()
    if base is None:
        return typed
    typed = replace(
        typed, system=replace(typed.system, external_datasets=_completed_datasets(base, typed))
    )
    return metadata_of(_merged_values(base.to_dict(), typed.to_dict())).value or Metadata()


def _completed_datasets(base: Metadata, typed: Metadata) -> tuple[Dataset, ...]:
    """The typed data sets; where only a name was typed, with all that is known of that one."""
    full = {(item.name or "").casefold(): item for item in base.system.external_datasets}
    return tuple(
        full.get((item.name or "").casefold(), item) if item == Dataset(name=item.name) else item
        for item in typed.system.external_datasets
    )


def _merged_values(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        inner = merged.get(key)
        both = isinstance(inner, dict) and isinstance(value, Mapping)
        merged[key] = _merged_values(inner, value) if both and inner is not None else value
    return merged
