"""What the largest allowed files cost to read: a good one, and those made to cost most.

Prints processor time and memory of each as multiples of the good one's:
``python -m tests.bench.bench_hostile_files [BYTES [memory]]``.
"""

import io
import json
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from functools import partial

from earmark.captions import References
from earmark.captions.candidates import read_candidates
from earmark.captions.file_layout import Limits
from earmark.packages.reading import File, package_read

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
LIMITS = Limits(max_bytes=SIZE)
CAPTION = "a dog barks while rain falls on a tin roof and people talk in the distance"
CLIPS = (SIZE - 30) // (len(CAPTION) + 17)
REFERENCES = References.build([(f"clip {n:06}.wav", [CAPTION]) for n in range(CLIPS)])
HEADER = "file_name,caption_predicted\n"


def good_csv() -> bytes:
    return (HEADER + "".join(f"clip {n:06}.wav,{CAPTION}\n" for n in range(CLIPS))).encode()


def good_json() -> bytes:
    # What JSON needs besides is taken off the captions: every clip has one.
    rows = {f"clip {n:06}.wav": CAPTION[:-8] for n in range(CLIPS)}
    return json.dumps(rows).encode()


def filled(start: str, part: str, end: str = "") -> bytes:
    """``part`` as often as the largest file has room for it."""
    room = SIZE - len((start + end).encode())
    return (start + part * (room // len(part.encode())) + end).encode()


def texts() -> Iterator[tuple[str, bytes]]:
    for mark in ',;|\t"':
        yield f"header of {mark!r}", filled("", mark)
        yield f"first row of {mark!r}", filled(HEADER, mark)
        yield f"rows of two {mark!r}", filled(HEADER, f"{mark}{mark}\n")
        yield f"rows of 200 {mark!r}", filled(HEADER, f"{mark * 200}\n")
        yield f"field, then {mark!r}", filled(HEADER, f"x{mark}")
    yield "header of names", filled("", "caption_1,")
    yield "header of many numbers", ",".join(f"caption_{n}" for n in range(380_000)).encode()
    yield "quoted header", filled('"', '","', '"')
    yield "quoted fields", filled(HEADER, '"",')
    yield "doubled quotes", filled(HEADER + '"', '""', '"')
    yield "open quotes", filled(HEADER, '"a\n')
    yield "text after quotes", filled(HEADER, '"a"b\n')
    yield "line breaks", filled("", "\n")
    yield "carriage returns", filled(HEADER, "\r")
    yield "one letter rows", filled(HEADER, "a\n")
    yield "unknown clips", filled(HEADER, "a,b\n")
    yield "the same clip", filled(HEADER, "clip 000000.wav,b\n")
    yield "spaces", filled("", " ")
    yield "not UTF-8", filled(HEADER, "a,b\n")[:-2].replace(b"b", b"\xff")
    yield "NUL", filled(HEADER, "a,\0\n")
    yield "UTF-16", filled("", "a,b\n")[: SIZE // 2].decode().encode("utf-16")
    yield "combining marks", filled(HEADER + "clip 000000.wav,", "\u0301\u0316")
    yield "long names", filled(HEADER, "\u0344" * 900 + ",a\n")
    yield "ligatures", filled(HEADER, "\ufdfa,a\n")
    yield "controls", filled(HEADER, "\u202e,\u202e\n")


def documents() -> Iterator[tuple[str, bytes]]:
    for opening, closing in ("[]", "{}"):
        yield f"JSON of {opening}", filled("", opening)
        yield f"JSON list of {opening}{closing}", filled("[", f"{opening}{closing},", "1]")
    yield "JSON depth", filled('{"clip 000000.wav":', "[", "")
    yield "JSON numbers", filled("[", "1,", "1]")
    yield "JSON long number", filled("[", "1", "]")
    yield "JSON empty names", filled("{", '"":"",', '"":""}')
    yield "JSON names", filled("{", '"a":"b",', '"a":"b"}')
    yield "JSON escapes", filled('{"a":"', "\\u0041", '"}')
    yield "JSON surrogates", filled('{"a":"', "\\ud800", '"}')
    yield "JSON open text", filled('{"a":"', "b")
    yield "JSON many keys", filled("[{", '"k":0,', '"k":0}]')
    yield "JSON captions", filled('{"clip 000000.wav":[', '"a",', '"a"]}')
    yield "JSONL of {}", filled("", "{}\n")
    yield "JSONL broken", filled("", '{"a"\n')
    yield "JSONL of [", filled("", "[\n")


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def packages() -> Iterator[tuple[str, bytes]]:
    good = good_csv()
    yield "package", packed({"c.csv": good})
    yield "1,000 members", packed({f"{n}.csv": b"x" for n in range(1000)})
    yield "bomb", packed({"c.csv": b"\0" * 500_000_000})
    yield "YAML of [", packed({"c.csv": good, "m.yaml": b"a: " + b"[" * 100_000})
    yield "YAML of {", packed({"c.csv": good, "m.yaml": b"a: " + b"{a: " * 30_000})
    yield "YAML of -", packed({"c.csv": good, "m.yaml": b"- " * 100_000})
    yield "YAML of lines", packed({"c.csv": good, "m.yaml": b"a:\n" * 60_000})
    yield (
        "YAML of keys",
        packed({"c.csv": good, "m.yaml": b"".join(b"k%d: 1\n" % n for n in range(20_000))}),
    )
    yield "YAML of quotes", packed({"c.csv": good, "m.yaml": b"a: '" + b"''" * 90_000})
    yield "YAML of tabs", packed({"c.csv": good, "m.yaml": b"a:\t" * 60_000})
    yield (
        "YAML of aliases",
        packed({"c.csv": good, "m.yaml": b"a: &a [1]\nb: [" + b"*a," * 50_000 + b"1]"}),
    )


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Processor seconds of a run, and the peak of memory in MB of another."""
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    if "memory" not in sys.argv:
        return seconds, 1.0
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, peak


def read(data: bytes, name: str = "") -> object:
    return read_candidates(data, REFERENCES, file_name=name, limits=LIMITS)


def main() -> None:
    for title, good, cases, reading in (
        ("CSV", good_csv(), texts(), read),
        ("JSON", good_json(), documents(), lambda data: read(data, "c.json")),
        ("packages", packed({"c.csv": good_csv()}), packages(), read_package),
    ):
        base, memory = cost(partial(reading, good))
        print(f"{title}: a good one takes {base:.2f} s and {memory:.0f} MB")  # noqa: T201
        rows = [(*cost(partial(reading, data)), name) for name, data in cases]
        for seconds, peak, name in sorted(rows, reverse=True):
            cells = f"{seconds / base:6.2f} x  {peak / memory:6.2f} x memory"
            print(f"  {cells}  {name}")  # noqa: T201


def read_package(data: bytes) -> object:
    return package_read(File("p.zip", data))


if __name__ == "__main__":
    main()
