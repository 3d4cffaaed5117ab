"""How long files of labels take to come in and to go out.

    python -m tests.bench.bench_labelling_files [--times 20] [--memory]

Imports descriptors/aces_10_labels.jsonl of the real data, and the same with its captions
numbered ``--times`` over, into a database of its own: SQLite, or the one of DATABASE_URL.
Prints seconds and records a second, or with ``--memory`` how much memory was held at most
besides (which makes everything several times slower).
"""

import argparse
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django

django.setup()

from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.formats import prodigy  # noqa: E402
from annotation.formats.records import Record, SkippedLine  # noqa: E402
from annotation.models import Project  # noqa: E402
from annotation.selectors.formats import (  # noqa: E402
    FORMATS,
    ExportSelection,
    download_of,
)
from annotation.services.formats.imports import records_import  # noqa: E402
from annotation.services.projects import ProjectRules, project_create  # noqa: E402
from annotation.services.schemes import schemes_load  # noqa: E402
from tests.bench.data import stop_without  # noqa: E402
from tests.real_data import REAL_DATA  # noqa: E402

SOURCE = REAL_DATA / "descriptors/aces_10_labels.jsonl"


def _project(slug: str) -> Project:
    scheme = next(found for found in schemes_load() if found.slug == "aces-10")
    return project_create(
        slug=slug, name=slug, scheme=scheme, manager=None, rules=ProjectRules(copies=1)
    )


def _records(times: int) -> Iterator[Record | SkippedLine]:
    data = SOURCE.read_bytes()
    for number in range(times):
        # Another source each time, so that every caption is one of its own.
        renamed = data.replace(b'"source": "', f'"source": "{number}-'.encode())
        yield from prodigy.read(BytesIO(renamed))


def _timed(name: str, records: int, run: Callable[[], object], *, memory: bool) -> None:
    if memory:
        tracemalloc.start()
    start = time.perf_counter()
    run()
    taken = time.perf_counter() - start
    said = f"{taken:6.1f} s {records / taken:8.0f} a second"
    if memory:
        said = f"{tracemalloc.get_traced_memory()[1] / 1e6:6.0f} MB"
        tracemalloc.stop()
    print(f"{name:32} {said}")  # noqa: T201


def _drain(pieces: Iterator[bytes]) -> int:
    return sum(len(piece) for piece in pieces)


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--memory", action="store_true")
    parsed = parser.parse_args()
    stop_without(SOURCE)
    times, timed = parsed.times, partial(_timed, memory=parsed.memory)
    connection.creation.create_test_db(verbosity=0)
    for name, count in (("file", 1), (f"file x {times}", times)):
        project = _project(f"p{count}")
        records = SOURCE.read_bytes().count(b"\n") * count

        def bring(project: Project = project, count: int = count) -> None:
            records_import(project=project, records=_records(count), now=timezone.now())

        timed(f"import, {name}", records, bring)
        timed(f"import again, {name}", records, bring)
        for kind in FORMATS:
            download = download_of(project, kind, ExportSelection())
            timed(f"export {kind}, {name}", records, partial(_drain, download.pieces))
    connection.creation.destroy_test_db("", verbosity=0)


if __name__ == "__main__":
    main()
