"""Captions and labels of a project as files, for those who manage it."""

import json
from typing import Any, Literal

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import timezone
from ninja import File, Form, P, QueryEx, Router, Schema, UploadedFile
from ninja.decorators import decorate_view
from pydantic import Field, field_validator

from annotation import access, tasks
from annotation.formats.table import TableColumns
from annotation.models import Role
from annotation.selectors.formats import FORMATS, ExportSelection, download_of
from annotation.selectors.schemes import InventoryChoice
from annotation.services.formats.file_imports import FileChoice, FileImport, LabelFile
from annotation.services.formats.imports import ImportReport
from annotation.services.formats.sources import CaptionSource, project_fill
from annotation.services.projects import ProjectAct
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import too_large
from leaderboard.web.body_limits import reads_upload, upload_capped
from leaderboard.web.file_responses import download_response
from leaderboard.web.rate_limits import Rate


class ExportChoice(Schema):
    """Which file."""

    format: Literal["prodigy", "csv", "docbin", "hf"] = "prodigy"
    who: str = Field(
        "all", max_length=80, description='"all", "gold" for what is settled, or a member\'s name.'
    )
    answer: Literal["accept", "reject", "ignore", "any"] | None = Field(
        None, description="Default: any for prodigy and csv, accept for the others."
    )


class ImportIn(Schema):
    """How a file is read."""

    map_from: str = Field(
        "",
        max_length=50,
        description="Inventory of the file's labels; needed where the labels themselves do not say "
        "that they are the project's. Labels of another one count where it is known, or `table` "
        "says, what they become.",
    )
    table: str = Field(
        "",
        max_length=20_000,
        description='What labels become that the project lacks, as JSON: {"DOG": "WHO", '
        '"NOISE": ""}; "" leaves a label out.',
    )
    text_column: str = Field(
        "", max_length=200, description="Column of a table with the captions; default: by name."
    )
    sound_column: str = Field(
        "", max_length=200, description="Column of a table with the names of sound files."
    )
    dry_run: bool = Field(False, description="Only say what would come in.")

    @field_validator("table")
    @classmethod
    def labels_by_label(cls, value: str) -> str:
        """Refuse what is no table of labels."""
        read_table(value)
        return value

    def choice(self) -> FileChoice:
        """What was said of the labels and the columns."""
        labels = InventoryChoice(self.map_from, read_table(self.table))
        return FileChoice(labels, columns=TableColumns(self.text_column, self.sound_column))


def read_table(text: str) -> dict[str, str]:
    """Labels by label from JSON; raises ``ValueError``."""
    try:
        table = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise ValueError('This is not JSON. Write {"DOG": "WHO", "NOISE": ""}.') from error
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise ValueError('Write a label, or "", for each label: {"DOG": "WHO", "NOISE": ""}.')
    return table


class SkippedOut(Schema):
    """A line that was left out."""

    line: int = Field(description="Line of the file, from 1.")
    value: str = Field(description="What was found, made printable and cut.")
    why: str
    fix: str = Field(description="What to do about it.")


class SessionOut(Schema):
    """A session of the file, and as whose its work comes in."""

    session: str
    annotations: int
    name: str = Field(description="The member of the project.")
    made: bool = Field(description="Made with the import, without a log-in.")


class UnreadOut(Schema):
    """A key, column or group that is not read although it looks like labels."""

    key: str
    line: int = Field(description="Its first line, from 1.")
    records: int = Field(description="How many records have it.")


class ImportOut(Schema):
    """What an import did, or would do in a dry run."""

    dry_run: bool
    refusal: str = Field(description="Why nothing would come in as it is; only in a dry run.")
    inventory: str = Field(
        description="Inventory of labels of which it is not known what they are in the project; "
        "answers with these do not count. Otherwise empty."
    )
    labels: dict[str, int] = Field(description="Spans of the file by label.")
    left_out_labels: dict[str, int] = Field(
        description="Spans that come in with no label of the project, by label of the file."
    )
    sessions: list[SessionOut] = Field(description="Whose annotations come in as whose.")
    captions: int = Field(description="Captions that were added.")
    annotations: int = Field(description="Annotations that were added.")
    unchanged: int = Field(description="Records that were there already.")
    to_settle: int = Field(description="Annotations flagged since a label has several equivalents.")
    left_out: int = Field(description="Records that were not taken.")
    incomplete: int = Field(
        description="Annotations of which spans did not come in; flagged, and do not count."
    )
    people: list[str] = Field(description="Members without a log-in that were made for sessions.")
    skipped: list[SkippedOut] = Field(description="The first 500 records that were left out.")
    bad_spans: list[SkippedOut] = Field(
        description="The first 500 spans that were left out of annotations that came in."
    )
    unread: list[UnreadOut] = Field(description="Keys that look like labels and are not read.")

    @classmethod
    def of(cls, report: ImportReport, *, refusal: str = "", dry_run: bool = False) -> "ImportOut":
        """Describe what an import did, or would do."""
        values = {name: getattr(report, name, None) for name in cls.model_fields}
        values |= {
            "dry_run": dry_run,
            "refusal": refusal,
            "labels": dict(report.labels.most_common()),
            "left_out_labels": dict(report.left_out_labels.most_common()),
            "sessions": [{"session": name, **row} for name, row in report.sessions.items()],
            "unread": [
                {"key": key, "line": line, "records": records}
                for key, (line, records) in report.unread.items()
            ],
        }
        return cls.model_validate(values)


router = Router(tags=["For labelling"])

_BINARY = {"schema": {"type": "string", "format": "binary"}}
# A schema of JSON cannot describe a file.
_FILE: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The file",
            "content": dict.fromkeys((one.content_type for one in FORMATS.values()), _BINARY),
        }
    }
}


@router.get(
    "/labelling/{slug:project}/export",
    auth=KNOWN,
    operation_id="labelling_export",
    summary="Read the labels of a project as a file",
    openapi_extra=_FILE,
)
def export_file(
    request: UserRequest, project: str, asked: QueryEx[ExportChoice, P()]
) -> HttpResponseBase:
    """Send a file, made while it is sent; for managers."""
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    choice = ExportSelection(asked.who, asked.answer or "")
    return download_response(download_of(found, asked.format, choice))


@router.post(
    "/labelling/{slug:project}/import",
    auth=KNOWN,
    throttle=Rate("upload", settings.API_UPLOAD_RATE),
    response={200: ImportOut},
    operation_id="labelling_import",
    summary="Bring captions and labels in from a file",
)
@decorate_view(upload_capped)
@reads_upload
def import_file(
    request: UserRequest, project: str, form: Form[ImportIn], file: File[UploadedFile]
) -> ImportOut:
    """Add what the project does not have yet: by its name CSV, text, or JSON lines; for managers.

    Labels that the project's inventory lacks, or that are all in a smaller one too, are
    refused (422) until `map_from` or `table` says what they are.
    """
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise too_large()
    label_file = LabelFile(file.open("rb"), file.name or "")
    choice, now = form.choice(), timezone.now()
    if form.dry_run:
        preview = FileImport.of(found, label_file, choice, now).preview()
        return ImportOut.of(preview.report, refusal=preview.refusal, dry_run=True)
    source = CaptionSource(file=label_file, choice=choice)
    report = project_fill(project=found, source=source, act=ProjectAct(request.auth, now))
    tasks.labelling_enqueue(found)
    return ImportOut.of(report)
