"""Filling a project with captions from what someone chose: a phase, a system, a file."""

from dataclasses import dataclass
from typing import IO

from django.db import transaction

from annotation.models import Project
from annotation.services.imports import ImportReport, ImportRules, file_read, records_import
from annotation.services.managing import Act
from annotation.services.projects import items_add
from annotation.services.relabelling import mapping_between
from annotation.services.sources import reference_tasks, submission_tasks
from leaderboard.models import Phase, Submission


@dataclass(frozen=True, slots=True)
class Source:
    """Where captions come from; what is None adds nothing.

    ``map_from`` is the scheme of the file's labels where they are to become the
    project's, "" where they are already.
    """

    phase: Phase | None = None
    one_each: bool = False
    submission: Submission | None = None
    file: IO[bytes] | None = None
    file_name: str = ""
    map_from: str = ""


@transaction.atomic
def project_fill(*, project: Project, source: Source, act: Act) -> ImportReport:
    """Add the captions that the project does not have yet, all sources together or none.

    Raises ``NoMapping`` and ``CaptionsUnreadable``.
    """
    report = ImportReport()
    if source.file is not None:
        mapping = mapping_between(source.map_from, project.scheme.slug) if source.map_from else None
        report = records_import(
            project=project,
            records=file_read(source.file, source.file_name),
            now=act.now,
            rules=ImportRules(mapping=mapping),
        )
    if source.phase is not None:
        tasks = reference_tasks(source.phase, one_each=source.one_each)
        report.captions += len(items_add(project=project, tasks=tasks))
    if source.submission is not None:
        tasks = submission_tasks(source.submission)
        report.captions += len(items_add(project=project, tasks=tasks))
    act.note(
        "fill",
        project,
        phase=str(source.phase or ""),
        submission=source.submission.public_id if source.submission else "",
        file=source.file_name,
        captions=report.captions,
        annotations=report.annotations,
    )
    return report
