"""Checking what was handed in against the clips that it must describe."""

from dataclasses import replace

from leaderboard.packages.reading import Package
from scoring.captions import Candidates, Limits, Reading, References, read_candidates


def captions_read(
    data: bytes, file_name: str, references: References, *, max_bytes: int
) -> Reading[Candidates]:
    """Read a file of captions of at most ``max_bytes``.

    A file with far more rows than clips is the wrong file (those with a row per
    reference have five or so); to list each of its rows as a fault would help
    nobody and cost the time of all others.
    """
    limits = Limits(max_bytes=max_bytes, max_rows=10 * len(references) + 1_000)
    return read_candidates(data, references, file_name=file_name, limits=limits)


def package_against(
    package: Package, references: References, *, max_bytes: int
) -> Reading[Candidates]:
    """Read the captions of a package; the faults are those of all its files.

    Of the references only the names of the clips are looked at.
    """
    captions = package.captions
    if captions is None:
        return Reading(None, package.faults)
    reading = captions_read(captions.data, captions.name, references, max_bytes=max_bytes)
    among = package.unpacked or package.metadata is not None or package.report is not None
    found = [replace(one, file=captions.name) if among else one for one in reading.faults]
    return Reading(None if package.errors else reading.value, (*found, *package.faults))
