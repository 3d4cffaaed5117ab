"""Changes that make bad inputs of good ones: of bytes, of JSON, and of what a zip holds."""

import io
import json
import zipfile
from collections.abc import Sequence
from random import Random
from typing import Any, Literal

Form = Literal["bytes", "json", "lines", "zip"]
"""How an input is built: plain bytes or text, JSON, JSON on each line, or a zip of such."""

# What breaks readers of text, whatever the format.
TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n", b"\r\n", b'"', b"'"),
    *(b",", b";", b"\t", b":", b"{", b"}", b"[", b"]", b"\\", b"\\u0000", b"\\ud800", b"&#39;"),
    *(b"-1", b"0", b"9" * 30, b"9" * 5000, b"1e999", b"NaN", b"-Infinity", b"null", b"true"),
    *("\u2028".encode(), "\u202e".encode(), "\U0001f600".encode(), "e\u0301".encode()),
    *(b"<script>", b"../../etc/passwd", b"%s%n", b"=cmd()"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 0.5, 1e308, -0.0),
    *(float("nan"), float("inf"), "", " ", "\0", "\ud800", "a", "9" * 50, "x" * 3000),
    *([], {}, [[]], {"": ""}, [None] * 50, "a\u202eb", "\U0001f600 " * 20),
)
_DEEP = 3000


def mutated(data: bytes, form: Form, tokens: Sequence[bytes], random: Random) -> bytes:
    """An input changed in one to four ways."""
    for _ in range(random.choice((1, 1, 2, 4))):
        data = _changed(data, form, tokens, random)
    return data


def _changed(data: bytes, form: Form, tokens: Sequence[bytes], random: Random) -> bytes:
    built = {"json": _json, "lines": _lines, "zip": _zip}.get(form)
    if built is not None and random.random() < 0.7:
        try:
            return built(data, random, tokens)
        except Exception:  # noqa: BLE001, RUF100 - what is broken already is changed as bytes
            pass
    return _bytes(data, random, tokens)


def _bytes(data: bytes, random: Random, tokens: Sequence[bytes]) -> bytes:
    start = random.randrange(len(data) + 1)
    end = min(len(data), start + int(random.expovariate(1 / 12)))
    part = data[start:end]
    some = random.choice(tokens) if tokens and random.random() < 0.5 else random.choice(TOKENS)
    middle = random.choice(
        (
            b"",
            some,
            some + part,
            part * random.choice((2, 3, 40)),
            bytes(byte ^ 1 << random.randrange(8) for byte in part),
            random.randbytes(len(part)),
            part[::-1],
        )
    )
    if random.random() < 0.05:  # cut off
        return data[:start]
    return data[:start] + middle + data[end:]


def _json(data: bytes, random: Random, tokens: Sequence[bytes]) -> bytes:
    value = json.loads(data)
    places = list(_places(value))
    if not places:
        return _dumped(random.choice(VALUES))
    home, key = random.choice(places)
    act = random.randrange(6)
    if act == 0:
        del home[key]
    elif act == 1 and isinstance(home, dict):
        home[random.choice(tokens).decode("utf-8", "replace") if tokens else "x"] = home[key]
    elif act == 2:
        source, other = random.choice(places)
        home[key] = source[other]
        return _dumped(value)
    elif act == 3 and isinstance(home, list):
        home[:] = home * random.choice((2, 20))
    elif act == 4 and random.random() < 0.1:
        home[key] = "deep"
        depth = random.choice((60, _DEEP))
        return _dumped(value).replace(b'"deep"', b"[" * depth + b"]" * depth, 1)
    else:
        home[key] = random.choice(VALUES)
    return _dumped(value)


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Any:
    """Each place of a value in the object or list that holds it."""
    waiting = [value]
    while waiting:
        home = waiting.pop()
        keys = home if isinstance(home, dict) else range(len(home))
        for key in keys:
            yield home, key
            if isinstance(home[key], dict | list):
                waiting.append(home[key])


def _lines(data: bytes, random: Random, tokens: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    lines[at] = _json(lines[at], random, tokens)
    return b"\n".join(lines)


def _zip(data: bytes, random: Random, tokens: Sequence[bytes]) -> bytes:
    """Another zip with a member changed, renamed, copied, left out, or packed otherwise."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(info, archive.read(info)) for info in archive.infolist()]
    at = random.randrange(len(members))
    info, content = members[at]
    act = random.randrange(8)
    if act == 0:
        del members[at]
    elif act == 1:
        members.append(members[at])
    elif act == 2:
        name = _bytes(info.filename.encode("utf-8", "replace"), random, tokens)
        info.filename = name.decode("utf-8", "replace")[:300] or "x"
    elif act == 3:
        info.compress_type = random.choice(
            (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
        )
    else:
        kind: Form = "json" if info.filename.endswith("json") else "bytes"
        members[at] = info, _changed(content, kind, tokens, random)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for info, content in members:
            archive.writestr(info, content, info.compress_type)
    packed = out.getvalue()
    # What its list says need not be what it holds.
    return _bytes(packed, random, tokens) if random.random() < 0.4 else packed
