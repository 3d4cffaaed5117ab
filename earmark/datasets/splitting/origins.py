"""Origins of clips: the recording and the uploader, read from columns of tables."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from earmark.captions import Fault
from earmark.captions.clip_names import name_key
from earmark.captions.csv_rows import CsvRow
from earmark.captions.decoding import decode
from earmark.captions.faults import FaultLog, count_of
from earmark.captions.file_layout import REFERENCE_LIMITS
from earmark.captions.json_records import detect_format
from earmark.datasets.clip_table import (
    NO_TABLE,
    UNNAMED,
    has_all_fields,
    name_place,
    table_rows,
)
from earmark.datasets.splitting.pooling import GivenFile, Pool, unpacked

ORIGIN_COLUMNS = (
    *("recording", "recording_id", "sound_id", "freesound_id", "youtube_id"),
    *("uploader", "uploader_id", "username", "manufacturer"),
)
"""Columns that say whose a clip is: its recording, or who uploaded it.

Clotho's metadata have sound_id (the recording on Freesound) and manufacturer (who uploaded it).
"""
_UNKNOWN = {"", "not found", "unknown", "none", "null", "nan", "n/a", "-"}
KEEP_OPTION = "--keep-together"
METADATA_OPTION = "--metadata"

_Origins = Mapping[str, set[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class OriginGroups:
    """Clips of one origin, by place in the pool, and what is wrong with the tables.

    ``unnamed`` counts clips that no table of metadata names, where there are metadata.
    """

    groups: tuple[tuple[int, ...], ...]
    unnamed: int
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    origins: _Origins
    columns: tuple[str, ...]
    faults: tuple[Fault, ...]


def origin_groups(
    pool: Pool,
    files: Sequence[GivenFile],
    metadata: Sequence[GivenFile],
    *,
    columns: Sequence[str] = (),
) -> OriginGroups:
    """Groups of clips that share a recording, an uploader, or a value of one of ``columns``.

    The columns stand in the caption files or in tables of metadata: one for all files, or as
    many as there are files, in their order.
    """
    known = (*ORIGIN_COLUMNS, *columns)
    own = [replace(_table(file, known), faults=()) for file in files]
    further = [_table(file, known) for file in metadata]
    faults = [fault for table in further for fault in table.faults]
    faults += _option_faults(own, further, columns)
    if len(further) == 1:
        further *= len(files)
    origins: list[set[tuple[str, str]]] = []
    unnamed = 0
    for clip in pool.clips:
        key = name_key(clip.name)
        tables = [own[clip.file], *further[clip.file : clip.file + 1]]
        unnamed += bool(further) and key not in tables[-1].origins
        origins.append(set().union(*(table.origins.get(key, ()) for table in tables)))
    return OriginGroups(tuple(_sharing(map(sorted, origins))), unnamed, tuple(faults))


def clips_of_one_origin(
    clips: Iterable[Mapping[str, object]], columns: Sequence[str]
) -> Iterator[tuple[int, ...]]:
    """Clips, by place, that share a value of one of ``columns`` of what is known of each.

    Values that say nothing, such as "Not found", link no clips.
    """
    named = ([(name, str(known.get(name, "")).strip()) for name in columns] for known in clips)
    return _sharing([one for one in pairs if one[1].casefold() not in _UNKNOWN] for pairs in named)


def _sharing(origins: Iterable[Iterable[tuple[str, str]]]) -> Iterator[tuple[int, ...]]:
    """Places that have a column and its value in common."""
    members: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, pairs in enumerate(origins):
        for pair in pairs:
            members[pair].append(place)
    yield from (tuple(places) for places in members.values() if len(places) > 1)


def _option_faults(
    own: Sequence[_Table], further: Sequence[_Table], columns: Sequence[str]
) -> list[Fault]:
    faults = []
    if len(further) not in {0, 1, len(own)}:
        message = (
            f"There are {len(further)} tables for {count_of(len(own), 'file')} of captions. Give"
            " one for all files, or one for each in the same order."
        )
        faults.append(Fault(None, None, str(len(further)), message, file=METADATA_OPTION))
    there = dict.fromkeys(name for table in (*own, *further) for name in table.columns)
    for column in columns:
        if column not in there:
            message = f"No table has this column. There are: {', '.join(there) or 'none'}."
            faults.append(Fault(None, None, column, message, file=KEEP_OPTION))
    return faults


def _table(file: GivenFile, columns: Sequence[str]) -> _Table:
    """Read these columns of a table with commas, tabs or semicolons.

    Values that say nothing, such as "Not found", are left out. Encodings other than UTF-8 are
    read as far as possible, since Clotho's metadata are in Latin-1. JSON has no columns.
    """
    plain = unpacked(file)
    if isinstance(plain, Fault):
        return _Table({}, (), (replace(plain, file=file.name),))
    text = decode(plain.data, FaultLog(), REFERENCE_LIMITS.max_bytes)
    if text is None or detect_format(text, plain.name) != "csv":
        return _Table({}, (), (Fault(None, None, "", NO_TABLE, file=file.name),))
    log = FaultLog()
    origins: _Origins = {}
    labels: list[str] = []
    with log.listed():
        rows = table_rows(text, log)
        labels = [field.strip() for field in next(rows).fields]
        origins = _origins(rows, labels, columns, log)
    faults = tuple(replace(fault, file=file.name) for fault in log.reading(None).faults)
    return _Table(origins, tuple(labels), faults)


def _origins(
    rows: Iterator[CsvRow], labels: Sequence[str], columns: Sequence[str], faults: FaultLog
) -> _Origins:
    name = name_place(labels)
    read = [(at, label) for at, label in enumerate(labels) if label in columns]
    if name is None or not read:
        message = UNNAMED
        if name is not None:
            message = (
                f"The table has none of the columns {', '.join(ORIGIN_COLUMNS)}. Rename one, or"
                f" name one with {KEEP_OPTION}."
            )
        faults.error(message, 1, value=",".join(labels))
        return {}
    origins: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        if has_all_fields(row, labels, faults):
            values = {(label, row.fields[at].strip()) for at, label in read}
            origins[name_key(row.fields[name])] |= {
                pair for pair in values if pair[1].casefold() not in _UNKNOWN
            }
    return origins
