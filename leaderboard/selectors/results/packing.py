"""The results of a challenge as one zip: of the same state the same bytes."""

import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import IO, cast

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from leaderboard.models import Challenge, Phase
from leaderboard.selectors.organising.challenges import is_finished
from leaderboard.selectors.results.phase_files import Write, phase_files
from leaderboard.selectors.visibility.visibility import Visibility

_NO_TIME = (1980, 1, 1, 0, 0, 0)
_IN_MEMORY = 8_000_000
SUMS = "SHA256SUMS"


def results_name(challenge: Challenge) -> str:
    """The name of the file."""
    return f"{challenge.slug}-results.zip"


def results_packed(
    challenge: Challenge, phases: Sequence[tuple[Phase, Visibility]], now: datetime
) -> IO[bytes]:
    """Pack the results of some phases, each as its reader sees it, into a temporary file.

    The file goes when it is closed. Rows are read some hundred at a time.
    """
    files = dict(_files(challenge, phases, now))
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
    with zipfile.ZipFile(file, "w") as archive:
        sums = [
            f"{_write(archive, f'{challenge.slug}/{name}', files[name]())}  {name}\n"
            for name in sorted(files)
        ]
        _write(archive, f"{challenge.slug}/{SUMS}", sums)
    file.seek(0)
    return cast("IO[bytes]", file)


def _files(
    challenge: Challenge, phases: Sequence[tuple[Phase, Visibility]], now: datetime
) -> Iterator[tuple[str, Write]]:
    yield "README.txt", lambda: iter([_readme(challenge, phases, now)])
    for phase, view in phases:
        for name, write in phase_files(phase, view, now):
            yield f"{phase.slug}/{name}", write


def _readme(challenge: Challenge, phases: Sequence[tuple[Phase, Visibility]], now: datetime) -> str:
    shown = [phase for phase, _ in phases]
    address = settings.SITE_URL + reverse("leaderboard:challenge", args=[challenge.slug])
    context = {
        "challenge": challenge,
        "address": address,
        "address_of_papers": settings.SITE_URL
        + reverse("leaderboard:document", args=["reference/papers"]),
        "phases": [(phase, list(phase.computed.values())) for phase in shown],
        "finished": is_finished(shown, now),
        "site_name": settings.SITE_NAME,
    }
    return str(render_to_string("leaderboard/challenges/results_readme.txt", context))


def _write(archive: zipfile.ZipFile, name: str, parts: Iterable[str]) -> str:
    """Write a file piece by piece; returns its sha256."""
    entry = zipfile.ZipInfo(name, _NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    digest = sha256()
    with archive.open(entry, "w") as goal:
        for part in parts:
            data = part.encode()
            digest.update(data)
            goal.write(data)
    return digest.hexdigest()
