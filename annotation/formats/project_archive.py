"""A whole project in one zip: what is in it, what is not and why, reading its parts within limits.

Each part has a JSON object on each line. Lines refer to each other by their numbers, from 1:
``"item": 12`` is line 12 of the captions.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from annotation.formats.records import RecordFault, SkippedLine, numbered_lines, require_storable
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    DataSetCheck,
    DataSetClip,
    EarlierHand,
    Gold,
    GuidelinesVersion,
    Import,
    Invitation,
    Item,
    KeyChoice,
    Member,
    PairDraw,
    PastGold,
    Project,
    Publication,
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
    Revision,
    Scheme,
    SendBack,
    Sound,
    SplitRun,
    Suggestion,
    TrainingData,
    TrainingRun,
)
from earmark.captions.faults import in_quotes
from leaderboard.web.refusals import Refused

FORMAT = 3
PROJECT, PEOPLE = "project.json", "people.jsonl"
CAPTIONS, ANSWERS, GOLD = "captions.jsonl", "answers.jsonl", "gold.jsonl"
SOUNDS = "sounds/"
# The answer of provenance that is no longer there.
GONE = 0
# Bytes of a part. One that unpacks to much more than the archive has of it was not written here.
LARGEST = 500_000_000
MOST_PACKED, UNSUSPICIOUS = 200, 5_000_000
_SOUND = re.compile(r"sounds/[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ArchivedTable:
    """A table in the archive: the part with its rows, the columns there, and why others are not."""

    model: type[models.Model]
    part: str
    columns: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


_NUMBER = {"id": "Lines are known by their numbers."}
_NEW = {**_NUMBER, "project": "It is that of the archive."}
_GOLD = ("item", "labels", "spans", "provenance", "settled_by", "settled_at", "note", "scheme")

# In the order in which they are stored again: rows refer to those before.
TABLES = (
    ArchivedTable(
        Scheme,
        "schemes.jsonl",
        (
            *("slug", "version", "title", "summary", "labels", "published", "previous"),
            *("restores", "becomes", "asks_again", "made_by", "created_at"),
        ),
        _NUMBER,
    ),
    ArchivedTable(
        Import,
        "imports.jsonl",
        (
            *("state", "file_name", "sha256", "inventory", "chosen", "mapping", "report"),
            *("copies", "made", "by", "at", "undone_by", "undone_at"),
        ),
        {**_NEW, "content": "Only a file that waits has one, and waiting files stay behind."},
    ),
    ArchivedTable(
        GuidelinesVersion, "guidelines.jsonl", ("number", "text", "saved_by", "saved_at"), _NEW
    ),
    ArchivedTable(
        Item,
        CAPTIONS,
        (
            *("position", "rank", "copies", "text", "tokens", "content", "meta", "extra"),
            *("reference_set", "clip", "imported_in", "created_at", "removed_at", "removed_by"),
        ),
        {**_NEW, "key": "It is made of the text and its source."},
    ),
    ArchivedTable(EarlierHand, "earlier_hands.jsonl", ("item", "user"), _NUMBER),
    ArchivedTable(
        PairDraw, "pair_draws.jsonl", ("phase", "counts", "systems", "seed", "by", "at"), _NEW
    ),
    ArchivedTable(AssignmentRecord, "handed.jsonl", ("item", "user", "at"), _NUMBER),
    ArchivedTable(
        Assignment,
        "assignments.jsonl",
        ("item", "number", "user", "expires_at", "done", "test"),
        {**_NEW, "rank": "It is that of the caption."},
    ),
    ArchivedTable(SendBack, "sent_back.jsonl", ("by", "at", "note"), _NEW),
    ArchivedTable(
        Annotation,
        ANSWERS,
        (
            *("item", "user", "assignment", "spans", "value", "answer", "flagged", "comment"),
            *("version", "edit", "inventory", "imported_in", "seconds", "late", "extra", "test"),
            *("scheme", "made_as", "sent_back", "refused", "set_aside", "created_at"),
            "updated_at",
        ),
        _NUMBER,
    ),
    ArchivedTable(
        Revision,
        "versions.jsonl",
        (
            *("annotation", "version", "edit", "spans", "value", "taken", "inventory", "answer"),
            *("late", "scheme", "saved_at"),
        ),
        _NUMBER,
    ),
    ArchivedTable(Gold, GOLD, _GOLD, _NUMBER),
    ArchivedTable(
        PastGold, "past_gold.jsonl", (*_GOLD, "end", "reason", "ended_by", "ended_at"), _NUMBER
    ),
    ArchivedTable(
        QualificationCaption,
        "qualification_captions.jsonl",
        ("item", "text", "tokens", "labels", "spans", "note"),
        _NEW,
    ),
    ArchivedTable(
        QualificationTry,
        "qualification_tries.jsonl",
        ("user", "number", "ended_at", "same", "words"),
        _NEW,
    ),
    ArchivedTable(
        QualificationAnswer,
        "qualification_answers.jsonl",
        ("attempt", "caption", "labels", "spans", "at"),
        _NUMBER,
    ),
)
MEMBERS = ArchivedTable(
    Member,
    PEOPLE,
    (
        *("role", "name", "agreement_shown_at", "guidelines_read", "guidelines_read_at"),
        *("qualified", "qualified_at", "given_to", "given_at", "joined_at"),
    ),
    {**_NEW, "user": "Who may log in is for each site to say."},
)
SETTINGS = ArchivedTable(
    Project,
    PROJECT,
    (
        *("name", "kind", "kind_options", "scheme", "guidelines", "order", "copies", "share"),
        *("seed", "offered"),
        *("settle_own", "suggest", "suggestion_threshold", "test_every", "ranked_by", "ranked_at"),
        *("closed", "agreement_shown_at", "reopened_at", "qualification_on", "pass_mark"),
        "qualification_tries",
    ),
    {
        **_NUMBER,
        "slug": "The new project has an address of its own.",
        "owner": "Who brings the archive in owns the new project.",
        "archived_at": "Who brings it in wants to work with it.",
        "created_at": "The new project begins now.",
        "source": "It is another project: the archive names it, and who brings it in chooses.",
    },
)
RECORDINGS = ArchivedTable(
    Sound,
    SOUNDS,
    ("file_name", "sha256"),
    {**_NEW, "size": "The recording has it.", "media_type": "The recording has it."},
)
LEFT_OUT: Mapping[type[models.Model], str] = {
    # Data sets of captions are made from the answers of a project, and go on without it.
    **dict.fromkeys(
        (
            CaptionDecision,
            CaptionFinding,
            DataSet,
            DataSetCaption,
            DataSetCheck,
            DataSetClip,
            Publication,
            SplitRun,
        ),
        "It is of a data set, which has files of its own.",
    ),
    Invitation: "A link opens one project of one site.",
    KeyChoice: "Keys are a person's own, and go with the account.",
    Suggestion: "The labeller in use there makes them anew.",
    TrainingRun: "Labellers belong to the site, which gives them as files of their own.",
    TrainingData: "It goes with its training.",
}


def head_of(archive: zipfile.ZipFile) -> dict[str, Any]:
    """What the archive says of the project; refused where it is none of a project."""
    _require_fitting(archive)
    lines = list(objects_of(archive, PROJECT))
    head = lines[0] if len(lines) == 1 else {}
    number = head.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise Refused(
            f"The zip is not an archive of a project: its {PROJECT} does not say so. Choose a "
            "file from “Download the project”."
        )
    if number < FORMAT:
        raise Refused(
            f"The archive has format {number}, and only format {FORMAT} can be read: download it "
            "anew from a site with a current version of Earmark."
        )
    if number > FORMAT:
        raise Refused(
            "The archive was made by a newer version of Earmark. Import it on a site with that "
            "version, or update this site."
        )
    return head


def _require_fitting(archive: zipfile.ZipFile) -> None:
    """Refuse members that no project writes, and those that grow suspiciously when unpacked."""
    known = {PROJECT, PEOPLE, *(table.part for table in TABLES)}
    met: set[str] = set()
    for entry in archive.infolist():
        name = entry.filename
        if is_beside(name):
            continue
        if name in met:
            raise Refused(f"The archive has {in_quotes(name)} twice. Make it again.")
        met.add(name)
        if name in known:
            _require_sound_size(entry)
        elif not _SOUND.fullmatch(name):
            raise Refused(
                f"{in_quotes(name)} is not part of a project's archive. Use the archive exactly "
                "as it was downloaded."
            )


def is_beside(name: str) -> bool:
    """Whether a member is a folder, or was added by an operating system."""
    return name.endswith("/") or "__MACOSX" in name or "/._" in f"/{name}"


def _require_sound_size(entry: zipfile.ZipInfo) -> None:
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise Refused(
            f"{entry.filename} is packed in an unusual way. Use the archive exactly as it was "
            "downloaded."
        )
    if entry.file_size > LARGEST:
        raise Refused(f"{entry.filename} is larger than {LARGEST // 1_000_000} MB.")
    if entry.file_size > max(UNSUSPICIOUS, MOST_PACKED * entry.compress_size):
        raise Refused(
            f"{entry.filename} is packed more than {MOST_PACKED} to 1, which is not allowed."
        )


def objects_of(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """The objects on the lines of a part of an archive."""
    try:
        entry = archive.getinfo(name)
    except KeyError as error:
        raise Refused(f"The archive has no {name}. Make it again.") from error
    with archive.open(entry) as file:
        for row in numbered_lines(file):
            if isinstance(row, SkippedLine):
                raise fault_at(name, row)
            yield _object(name, *row)


def fault_at(name: str, line: SkippedLine) -> Refused:
    """A refusal that names the part and the line."""
    return Refused(f"{name}, l{str(line)[1:]}")


def _object(name: str, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
        require_storable(value)
    except RecordFault as fault:
        raise fault_at(name, SkippedLine.because(number, fault)) from fault
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name}, line {number}: this is not valid JSON.") from error
    if not isinstance(value, dict):
        raise Refused(f"{name}, line {number}: this is not a JSON object.")
    return value


def renumbered(
    row: Mapping[str, Any], person: Callable[[Any], int | None], answer: Callable[[Any], int]
) -> dict[str, Any]:
    """How a word came to its label (``Gold.provenance``), with other numbers for who and what."""
    result = dict(row)
    if "by" in row:
        result["by"] = person(row["by"])
    if "from" in row:
        result["from"] = [answer(number) for number in row["from"]]
    if "votes" in row:
        result["votes"] = {str(answer(number)): vote for number, vote in row["votes"].items()}
    if "edge" in row:
        result["edge"] = renumbered(row["edge"], person, answer)
    return result


def line_of(value: dict[str, Any]) -> bytes:
    """An object as a line of an archive."""
    return json.dumps(value).encode() + b"\n"
