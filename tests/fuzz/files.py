"""How each kind of file is read for the fuzzer, as the site and the commands read it."""

import io
import json
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from annotation.formats import archived_values, docbin, table, word_labels
from annotation.formats.offsets import read_tokens
from annotation.formats.prodigy import write_line
from annotation.formats.project_archive import MEMBERS, TABLES, head_of, objects_of
from annotation.formats.records import ExportRow, Record, RecordFault, SkippedLine, require_text
from annotation.formats.scheme_file import read_scheme, write_scheme
from annotation.kinds.names import LABEL_WORDS
from annotation.kinds.registry import kind_named, work_kinds
from annotation.kinds.work_kind import AnswerFault, WorkKind, WorkTask
from annotation.models import Item, Scheme
from annotation.services.formats.archive_reading import _opened
from annotation.services.formats.imports import file_read
from earmark.benchmark import judgments_of
from earmark.captions import Fault, read_candidates, read_references
from earmark.captions.caption_lists import NoCaptions, UnreadableFile, read_captions
from earmark.datasets.choosing import PoolColumns, read_pool
from earmark.datasets.clip_table import read_clip_table
from earmark.judgment_files import read_judgment_file
from earmark.packages.metadata_files import metadata_read, metadata_write
from earmark.packages.reading import File, Package, package_against, package_read
from earmark.train.descriptors import read_sets
from earmark.train.descriptors.labelled_captions import jsonl_sets
from leaderboard.selectors.labellers.files import CONFIG, WEIGHTS
from leaderboard.services.clips.recordings import (
    ClipMatcher,
    _store_each,
    archive_open,
    recordings_sorted,
    zip_recordings,
)
from leaderboard.services.judgments.states import own_judgments_limits
from leaderboard.services.labellers.checking import _check_weights, _tokeniser, json_object
from leaderboard.services.labellers.configuration import check_config, check_tokeniser
from leaderboard.services.organising.images import MOST_HEIGHT, encoded_image
from tests.factories import CANDIDATES, NOW, REFERENCES
from tests.fuzz.texts import LABELS

MOST = 5_000_000
WEIGHTS_OF_A_GOOD_ONE = 10_000_000


def _sentences(faults: Iterable[Fault]) -> list[str]:
    return [f"{fault.message} {fault.value}" for fault in faults]


@cache
def _memory() -> Path:
    """A folder in memory where there is one: the disk is not what is tried."""
    shm = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="earmark-fuzz-", dir=shm if shm.is_dir() else None))


@contextmanager
def _on_disk(data: bytes, name: str) -> Iterator[Path]:
    path = _memory() / name
    path.write_bytes(data)
    yield path


def captions(data: bytes) -> list[str]:
    """Candidates, as a file without a name that would tell what it is."""
    return _sentences(read_candidates(data, REFERENCES).faults)


def captions_json(data: bytes) -> list[str]:
    """Candidates in a file that is called JSON, and JSON lines."""
    found = [read_candidates(data, REFERENCES, file_name=f"c.{end}") for end in ("json", "jsonl")]
    return _sentences(fault for result in found for fault in result.faults)


def references(data: bytes) -> list[str]:
    """References, by their content and by name."""
    found = [read_references(data, file_name=name) for name in ("r.csv", "r.json")]
    return _sentences(fault for result in found for fault in result.faults)


def judgments(data: bytes) -> list[str]:
    """Judgments as they are uploaded; what is taken can be stored and compared."""
    found = read_judgment_file(data, own_judgments_limits())
    if found.value is not None:
        json.dumps([asdict(pair) for pair in found.value.pairs], allow_nan=False).encode()
        judgments_of(found.value)
    return _sentences(found.faults)


def clip_table(data: bytes) -> list[str]:
    """A table of clips, by its content; what is taken can be stored."""
    found = read_clip_table(data, file_name="t.csv")
    for row in (found.value or {}).values():
        stored = "".join([*row, *row.values()])
        stored.encode()
        assert "\0" not in stored, stored[:200]
    return _sentences(found.faults)


def clip_pool(data: bytes) -> list[str]:
    """A pool of clips, with groups and without."""
    found = [read_pool(data, PoolColumns(group=group)) for group in ("", "uploader")]
    return _sentences(fault for result in found for fault in result.faults)


def caption_list(data: bytes) -> list[str]:
    """Captions alone, as the commands read them: by name a table, a text, or packed."""
    told = []
    for name in ("list.csv", "list.txt", "list.csv.gz"):
        with _on_disk(data, name) as path:
            try:
                read_captions(path)
            except (NoCaptions, UnreadableFile) as refused:
                told.append(str(refused))
    return told if len(told) == 3 else []


def package(data: bytes) -> list[str]:
    """What a participant uploads, checked against the references."""
    return _package(package_read(File("Kim_SNU_task6_1.zip", data), system="1"))


def _package(found: Package) -> list[str]:
    return _sentences((*found.faults, *package_against(found, REFERENCES, max_bytes=MOST).faults))


def package_parts(data: bytes) -> list[str]:
    """A report, or metadata, that are sent along with good captions."""
    good, sent = File("captions.csv", CANDIDATES), File("sent", data)
    if data.startswith(b"%PDF"):
        return _package(package_read(good, report=sent))
    return _package(package_read(good, metadata=sent))


def metadata(data: bytes) -> list[str]:
    """DCASE's YAML; what was understood is written and read again."""
    found = metadata_read(data, file="m.yaml")
    if found.value is not None:
        metadata_read(metadata_write(found.value).encode(), file="m.yaml")
    return _sentences(found.faults)


def labels(data: bytes) -> list[str]:
    """Labels in JSON lines; what was taken is written in every format of exports."""
    return list(_labels(data, "labels.jsonl"))


def label_table(data: bytes) -> list[str]:
    """Captions in a table, with labels in some."""
    table.column_names(io.BytesIO(data))
    return list(_labels(data, "captions.csv"))


def label_text(data: bytes) -> list[str]:
    """Captions in a plain text, one a line."""
    return list(_labels(data, "captions.txt"))


def label_docbin(data: bytes) -> list[str]:
    """Documents of spaCy; what is not packed is packed here, so that changes reach further."""
    packed = data if data.startswith(b"x\x9c") else zlib.compress(data, 1)
    return list(_labels(packed, "labels.spacy"))


def _labels(data: bytes, name: str) -> Iterator[str]:
    rows: list[ExportRow] = []
    for record in file_read(io.BytesIO(data), name):
        if isinstance(record, SkippedLine):
            yield str(record)
        elif {span["label"] for span in record.spans or ()} <= LABELS:  # as imports ask
            rows.append(_export_row(record))
    for row in rows:
        write_line(row, "fuzz")
    "".join(table.write(rows))
    "".join(word_labels.write_json_lines(rows, sorted(LABELS)))
    if rows:
        b"".join(docbin.write(rows[:3]))


def _export_row(record: Record) -> ExportRow:
    return ExportRow(
        number=record.line,
        text=record.text,
        tokens=record.tokens,
        spans=record.spans or [],
        annotator=record.person or "someone",
        at=record.at or NOW,
        meta=record.meta,
        answer=record.answer,
        flagged=record.flagged,
        comment=record.comment,
        line=record.source,
        changed=True,
        carried=record.carried,
        taken=record.taken,
    )


def scheme_file(data: bytes) -> list[str]:
    """A label scheme, JSON or YAML; what was understood is written and read again."""
    title, summary, labels = told = read_scheme(data)
    scheme = Scheme(
        slug="fuzz", title=title, summary=summary, labels=[label.to_json() for label in labels]
    )
    for kind in ("json", "yaml"):
        again = read_scheme(write_scheme(scheme, kind).encode())
        if again != told:
            raise AssertionError(f"It is another scheme after it was written as {kind}.")
    return []


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "extra": archived_values.extra_of,
    "taken": archived_values.taken_of,
    "chosen": archived_values.chosen_of,
    "report": archived_values.report_of,
    "mapping": archived_values.mapping_of,
    "copies": archived_values.counts_of,
    "becomes": archived_values.texts_of,
    "created_at": archived_values.moment_of,
    "joined_at": archived_values.moment_of,
    "counts": archived_values.counts_of,
    "systems": archived_values.systems_of,
}
_WORDS = archived_values.CaptionWords(read_tokens(None, "a dog barks"), LABELS)


def project_archive(data: bytes) -> list[str]:
    """A whole project, as far as it is read without a database."""
    told = []
    with _on_disk(data, "project.zip") as path, _opened(path) as archive:
        kind = _kind_of(head_of(archive))
        items: list[Item] = []
        for part in (*TABLES, MEMBERS):
            if part.part in archive.namelist():
                for row in objects_of(archive, part.part):
                    told += list(_archived_row(row))
                    told += list(_archived_work(kind, items, row))
    return told


def _kind_of(head: dict[str, Any]) -> WorkKind:
    """The kind of an archive's work; label words where it says nothing that is known."""
    settings = head.get("settings")
    name = settings.get("kind") if isinstance(settings, dict) else None
    return work_kinds().get(str(name)) or kind_named(LABEL_WORDS)


def _archived_work(kind: WorkKind, items: list[Item], row: dict[str, Any]) -> Iterator[str]:
    """An item or an answer as its kind of work reads it; the items so far are ``items``."""
    try:
        content = row.get("content")
        if isinstance(content, dict):
            items.append(Item(key="", position=0, content=kind.content(content)))
        value = row.get("value")
        if isinstance(value, dict) and items:
            complete = row.get("answer") == "accept"
            kind.said(kind.checked(value, WorkTask(items[0], 1, kind.widest), complete=complete))
            kind.shown(items[0], 1)
    except AnswerFault as fault:
        yield str(fault)


def _archived_row(row: dict[str, Any]) -> Iterator[str]:
    for name, value in row.items():
        try:
            if name in _CHECKS:
                _CHECKS[name](value)
            elif name in {"spans", "labels", "provenance"}:
                getattr(_WORDS, name)(value)
            elif name == "tokens":
                archived_values.require(list, value)
                read_tokens(value, require_text(row.get("text")))
        except RecordFault as fault:
            yield str(SkippedLine.because(1, fault))


def training_labels(data: bytes) -> list[str]:
    """Labels that a training learns from: of a project, and of the command."""
    jsonl_sets(data.decode("utf-8", "replace").split("\n"))
    with _on_disk(data, "labels.jsonl") as path:
        read_sets([path])
    return []


def labeller_configuration(data: bytes) -> list[str]:
    """The configuration of a labeller that somebody sends."""
    check_config(json_object(data, CONFIG), made_here=False, weights=WEIGHTS_OF_A_GOOD_ONE)
    return []


def labeller_tokeniser(data: bytes) -> list[str]:
    """The tokeniser of a labeller that somebody sends."""
    check_tokeniser(json_object(data, "tokenizer.json"))
    return []


def labeller_weights(data: bytes) -> list[str]:
    """The weights of a labeller that somebody sends, with a tokeniser among them."""
    with _on_disk(data, WEIGHTS) as path:
        _check_weights(path)
        _tokeniser(path)
    return []


def recordings(data: bytes) -> list[str]:
    """The zip of recordings, stored."""
    from django.conf import settings

    settings.AUDIO_DIR = _memory() / "audio"
    with _on_disk(data, "audio.zip") as path, archive_open(path, most_files=50) as archive:
        files = recordings_sorted(zip_recordings(archive), ClipMatcher(REFERENCES.file_names))
        _store_each(files, {})
    return [refused.why for refused in files.refused]


def images(data: bytes) -> list[str]:
    """An image of a challenge: what is taken is a small WebP file."""
    encoded = encoded_image(io.BytesIO(data))
    assert max(encoded.width, encoded.height) <= MOST_HEIGHT
    assert encoded.content[8:12] == b"WEBP"
    return []
