"""Decoding files to text, and recognising files that are not text at all."""

import codecs
import io
import re

from earmark.captions.faults import FaultLog, count_of

MAX_LISTED = 1_000
_BYTE_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
    *((magic, "a picture") for magic in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8")),
    *((magic, "a recording") for magic in (b"RIFF", b"fLaC", b"OggS", b"ID3")),
)
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAVE = 'Save the file as UTF-8: in a spreadsheet as "CSV UTF-8", in Python with encoding="utf-8".'

_NOT_UTF8 = f"The file seems to be Latin-1 or Windows-1252. {_SAVE}"


def decode(data: bytes, faults: FaultLog, max_bytes: int) -> str | None:
    """Decode a file to text without its byte order mark.

    A wrong encoding is a fault, and the text is still given (decoded by the
    best guess) so that the other faults can be listed too. None where there is
    nothing to go on with: too large, empty, or not text.
    """
    if len(data) > max_bytes:
        faults.error(
            f"The file has {len(data):,} bytes and the limit is {max_bytes:,}. Remove rows or"
            " columns that do not belong in it."
        )
        return None
    refusal, wide = whole_refusal(data), _wide_encoding(data)
    if refusal is None:
        text = _text(data, faults)
    else:
        faults.error(refusal, 1 if wide else None)
        if wide is None:
            return None
        text = data.decode(wide, errors="replace").removeprefix("\ufeff")
    if not text.strip():
        faults.error("The file is empty. Use a file with a header and one row per clip.")
        return None
    return _without_nul(text, faults)


def whole_refusal(data: bytes) -> str | None:
    """Why a file as a whole is no text in UTF-8, from how it begins; None where it may be one."""
    archive = next((what for magic, what in _MAGIC if data.startswith(magic)), None)
    if archive == "an Excel workbook" or (archive and b"[Content_Types].xml" in data[:4096]):
        return 'The file is an Excel workbook. Save it as "CSV UTF-8" and use that file.'
    if archive is not None:
        return f"The file is {archive}. Use the plain CSV, JSON or JSONL file instead."
    wide = _wide_encoding(data)
    if wide is None:
        return None
    name = wide.upper().removesuffix("-LE").removesuffix("-BE")
    return f"The file is encoded as {name}. {_SAVE}"


def _text(data: bytes, faults: FaultLog) -> str:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_by_line(data, faults)


def _wide_encoding(data: bytes) -> str | None:
    """Recognise UTF-16 and UTF-32 by their mark, or UTF-16 by its zero bytes."""
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return encoding
    head = data[:4000]
    half = len(head) // 2
    if half < 4:
        return None
    if head[1::2].count(0) > 0.8 * half and head[::2].count(0) < 0.2 * half:
        return "utf-16-le"
    if head[::2].count(0) > 0.8 * half and head[1::2].count(0) < 0.2 * half:
        return "utf-16-be"
    return None


def _decode_by_line(data: bytes, faults: FaultLog) -> str:
    """Decode line by line; lines that are not UTF-8 are read as Windows-1252.

    So is all that follows after ``MAX_LISTED`` of them.
    """
    parts: list[str] = []
    bad_lines = 0
    for number, match in enumerate(_BYTE_LINE.finditer(data), start=1):
        raw = match.group()
        try:
            parts.append(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            _report_line(raw, error.start, number, faults)
            parts.append(_western(raw))
            bad_lines += 1
        if bad_lines == MAX_LISTED:
            faults.error(f"Lines after this one are not listed. {_NOT_UTF8}", number)
            parts.append(_western(data[match.end() :]))
            break
    return "".join(parts)


def _report_line(raw: bytes, bad: int, number: int, faults: FaultLog) -> None:
    character = len(raw[:bad].decode("utf-8")) + 1
    faults.error(
        f"Character {character} of this line (byte 0x{raw[bad]:02x}) is not UTF-8. {_NOT_UTF8}",
        number,
        value=_western(raw[max(0, bad - 30) : bad + 40]).strip("\r\n"),
        cause=_NOT_UTF8,
    )


def _western(data: bytes) -> str:
    """Decode as Windows-1252, with Latin-1's meaning for its five unused bytes."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _without_nul(text: str, faults: FaultLog) -> str:
    """Report every line with NUL characters and take them out."""
    if "\0" not in text:
        return text
    lines = 0
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        at = line.find("\0")
        if at < 0:
            continue
        lines += 1
        if lines <= MAX_LISTED:
            faults.error(
                f"Character {at + 1} of this line is a NUL (byte 0x00). Remove it, or write the"
                " file again: it may be damaged.",
                number,
                value=line[max(at - 30, 0) : at + 40].strip("\r\n"),
            )
    if lines > MAX_LISTED:
        rest = count_of(lines - MAX_LISTED, "further line")
        faults.error(f"{rest} with NUL characters. Write the file again.")
    return text.replace("\0", "")
