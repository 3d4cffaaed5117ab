"""From the bytes of a metadata file to metadata."""

import codecs
from collections.abc import Iterator, Mapping
from typing import Any

from leaderboard.packages.checking import checked
from leaderboard.packages.interpreting import interpret, node_of
from leaderboard.packages.mending import Mender
from leaderboard.packages.metadata import Metadata
from leaderboard.packages.notes import Notes
from leaderboard.packages.tree import Items, Node, Pairs, Scalar, Unreadable, tree_read
from scoring.captions import Fault, Reading
from scoring.captions.faults import counted

MAX_BYTES = 100_000
TAB_WIDTHS = (2, 4, 8)
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_NOT_TEXT = {b"PK\x03\x04": "a zip archive", b"%PDF": "a PDF document", b"\x1f\x8b": "an archive"}


def metadata_read(data: bytes, *, file: str | None = None) -> Reading[Metadata]:
    """Read a metadata file leniently; an error only where it cannot be understood.

    ``file`` is its name, for the faults. No content makes this raise.
    """
    notes = Notes(file)
    try:
        root = _root(_tree(_decoded(data, notes), notes))
    except Unreadable as error:
        message = error.message if error.message.endswith(".") else f"{error.message}."
        at = f" (column {error.column})" if error.column else ""
        fault = Fault(
            error.line,
            None,
            _line(data, error.line),
            f"The metadata cannot be read{at}: {message} Correct the file, or leave it out.",
            file=file,
        )
        return Reading(None, (fault, *notes.faults))
    metadata = checked(interpret(root, notes), notes)
    return Reading(metadata, notes.faults)


def metadata_of(value: Mapping[str, Any]) -> Reading[Metadata]:
    """Read metadata from plain values, such as a JSON object or what is stored.

    Keys may stand outside of DCASE's nesting, as in the form of the pages.
    Raises nothing; depth and size are the caller's to bound.
    """
    notes = Notes()
    node = node_of(value)
    root = node if isinstance(node, Pairs) else Pairs()
    return Reading(checked(interpret(root, notes, tell_moves=False), notes), notes.faults)


def _decoded(data: bytes, notes: Notes) -> str:
    if len(data) > MAX_BYTES:
        raise Unreadable(
            f"The file has {len(data):,} bytes and the limit is {MAX_BYTES:,}. "
            "Check that it is the right one"
        )
    for magic, what in _NOT_TEXT.items():
        if data.startswith(magic):
            raise Unreadable(f"This is {what} and not YAML")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data.decode(encoding, errors="replace").removeprefix("\ufeff")
            if encoding != "utf-8-sig":
                notes.warn(
                    1, "", "", f"Encoded as {encoding.upper()}; read as such. Save as UTF-8."
                )
            break
    else:
        text = _utf8(data, notes)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _utf8(data: bytes, notes: Notes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        notes.warn(line, "", "", "Not UTF-8; read as Windows-1252. Save the file as UTF-8.")
        return data.decode("cp1252", errors="replace")


def _tree(text: str, notes: Notes) -> Node | None:
    """Read the text as it is, or mended where no YAML reader takes it."""
    controls = [at for at, char in enumerate(text) if _forbidden(char)]
    if controls:
        line = text.count("\n", 0, controls[0]) + 1
        many = counted(len(controls), "character")
        notes.warn(line, "", "", f"{many} that no text file should hold; left out.")
        text = "".join(char for char in text if not _forbidden(char))
    try:
        return tree_read(text)
    except Unreadable as refused:
        return _mended(text, refused, notes)


def _forbidden(char: str) -> bool:
    code = ord(char)
    return (
        (code < 32 and char not in "\t\n")
        or (0x7F <= code < 0xA0 and code != 0x85)
        or 0xD800 <= code <= 0xDFFF
        or code in {0xFEFF, 0xFFFE, 0xFFFF}
    )


def _mended(text: str, refused: Unreadable, notes: Notes) -> Node | None:
    """Mend the text; where tabs are in it, by each width that a tab may have."""
    found: list[tuple[Node | None, Notes]] = []
    hard: Unreadable | None = None
    for width in TAB_WIDTHS if _tabbed(text) else TAB_WIDTHS[:1]:
        attempt = Notes(notes.file)
        try:
            mended = Mender(attempt).mend(_without_tabs(text, width))
            found.append((tree_read(mended), attempt))
        except Unreadable as error:
            hard = hard or error
    if not found:
        raise _clearer(refused, hard) from refused
    meant = [interpret(_root(tree), Notes()) for tree, _ in found]
    first_tab = _tabbed(text)
    if any(other != meant[0] for other in meant):
        raise Unreadable(
            "Tabs are not allowed in YAML's indentation, and here it depends on their width "
            "what is meant. Use spaces",
            first_tab,
            1,
        )
    tree, attempt = min(found, key=lambda pair: len(pair[1].faults))
    if "\t" in text:
        lines = counted(sum("\t" in line for line in text.split("\n")), "line")
        line = next(n for n, said in enumerate(text.split("\n"), 1) if "\t" in said)
        notes.warn(line, "", "", f"Tabs in {lines}, which YAML does not allow; read as spaces.")
    notes.extend(attempt)
    return tree


def _clearer(refused: Unreadable, hard: Unreadable | None) -> Unreadable:
    """Choose what to tell: why it could not be mended says more than the YAML reader does."""
    return hard if hard is not None and hard.line is not None else refused


def _tabbed(text: str) -> int | None:
    """Give the first line with a tab in its indentation."""
    for number, line in enumerate(text.split("\n"), start=1):
        if "\t" in line[: len(line) - len(line.lstrip())] and line.strip():
            return number
    return None


def _without_tabs(text: str, width: int) -> str:
    lines = []
    for line in text.split("\n"):
        body = line.lstrip()
        indent = line[: len(line) - len(body)].expandtabs(width)
        lines.append(indent + body.replace("\t", " "))
    return "\n".join(lines)


def _root(node: Node | None) -> Pairs:
    if isinstance(node, Pairs):
        return node
    if node is None or (isinstance(node, Scalar) and not node.text.strip()):
        raise Unreadable("The file is empty")
    what = "a list" if isinstance(node, Items) else "a text"
    raise Unreadable(f"The file is {what} where names and values are expected", node.line, 1)


def _line(data: bytes, number: int | None) -> str:
    """Give the line to which a fault belongs."""
    if number is None:
        return ""
    lines: Iterator[str] = iter(data[:MAX_BYTES].decode("utf-8", errors="replace").splitlines())
    return next((line.strip() for at, line in enumerate(lines, 1) if at == number), "")
