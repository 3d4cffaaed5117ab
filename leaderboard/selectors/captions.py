"""Reading the captions of both sides: references and what was handed in."""

from functools import lru_cache

from leaderboard.models import ReferenceSet
from scoring.captions import Candidates, Limits, References, read_candidates


@lru_cache(maxsize=4)
def references_of(content_hash: str) -> References:
    """Unpack a reference set once per process; sets never change."""
    return ReferenceSet.objects.get(content_hash=content_hash).read()


def stored_captions(data: bytes, file_name: str, references: References) -> Candidates | None:
    """Read a stored file in the order of the references; None where it no longer can be."""
    # What was accepted stays readable where the installation's limit was lowered since.
    limits = Limits(max_bytes=len(data))
    return read_candidates(data, references, file_name=file_name, limits=limits).value
