"""What a split is made of: clips of files, which of them stay together, and every fault."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from earmark.captions import Fault
from earmark.captions.faults import count_of, in_quotes
from earmark.datasets.splitting.kept_together import joined_groups, near_equal_clips
from earmark.datasets.splitting.origins import origin_groups
from earmark.datasets.splitting.parts import PartsRead, size_faults
from earmark.datasets.splitting.pooling import GivenFile, Pool, PooledClip, pooled_clips
from earmark.datasets.splitting.words import Integers

SIMILARITY = Fraction(9, 10)
"""Jaccard similarity of words from which captions are near-equal."""


@dataclass(frozen=True, slots=True)
class SplitInput:
    """Clips to split, and what is wrong with them.

    ``groups`` numbers the clips that stay together (one origin, near-equal captions), and
    ``namesakes`` are clips of one name, which go to different parts. The two are empty where
    there are errors.
    """

    clips: tuple[PooledClip, ...]
    groups: Integers
    namesakes: tuple[tuple[int, ...], ...]
    faults: tuple[Fault, ...]

    @property
    def usable(self) -> bool:
        """Whether there is no error."""
        return all(fault.severity != "error" for fault in self.faults)

    @property
    def kept_together(self) -> tuple[int, int]:
        """How many groups have more than one clip, and how many clips the largest has."""
        sizes = np.bincount(self.groups)
        return int((sizes > 1).sum()), int(sizes.max(initial=0))


def read_split_input(
    files: Sequence[GivenFile],
    parts: PartsRead,
    *,
    metadata: Sequence[GivenFile] = (),
    columns: Sequence[str] = (),
    similarity: Fraction = SIMILARITY,
) -> SplitInput:
    """Read caption files, pooled, and tables that say whose the clips are.

    Every fault of the parts, files and tables is listed at once. ``columns`` are those of the
    tables whose values keep clips together, besides recordings and uploaders.
    """
    pool = pooled_clips(files)
    origins = origin_groups(pool, files, metadata, columns=columns)
    faults = [*parts.faults, *pool.faults, *origins.faults]
    if origins.unnamed:
        message = (
            f"{count_of(origins.unnamed, 'clip')} not in the metadata, so their origin is unknown."
        )
        faults.append(Fault(None, None, "", message, "warning"))
    if any(fault.severity == "error" for fault in faults):
        return SplitInput(pool.clips, joined_groups(0, ()), (), tuple(faults))
    alike = near_equal_clips([clip.captions for clip in pool.clips], similarity)
    groups = joined_groups(len(pool.clips), [*origins.groups, *alike])
    faults += size_faults(parts.parts, len(pool.clips))
    faults += _group_faults(pool, files, groups, len(parts.parts))
    return SplitInput(pool.clips, groups, pool.namesakes, tuple(faults))


def _group_faults(
    pool: Pool, files: Sequence[GivenFile], groups: Integers, parts: int
) -> list[Fault]:
    """Faults of clips that can be neither together nor apart."""
    faults = []
    number = int(groups.max(initial=-1)) + 1
    if number < parts <= len(pool.clips):
        message = (
            f"The clips are in {count_of(number, 'group')} that stay together, for {parts} parts."
            " Give more clips or fewer parts."
        )
        faults.append(Fault(None, None, str(number), message))
    for places in pool.namesakes:
        clips = [pool.clips[place] for place in places]
        if len(places) > parts:
            message = (
                f"{count_of(len(places), 'clip')} have this name, for {parts} parts, and no part"
                " can name two. Rename some of them."
            )
        elif len({int(groups[place]) for place in places}) < len(places):
            message = (
                "Clips of this name stay together, by their origin or their captions, and cannot"
                " be in one part, which cannot name both. Rename one of them, or put the captions"
                " of one recording in one file."
            )
        else:
            continue
        first, last = clips[0], clips[-1]
        where = f" (the first is in line {first.line} of {in_quotes(files[first.file].name)})"
        faults.append(
            Fault(last.line, None, last.name, message + where, file=files[last.file].name)
        )
    return faults
