"""Captions that the site has already, as captions to be labelled.

Callers have checked that they may be read: references can be hidden.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import transaction

from annotation.models import Project
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import
from annotation.services.formats.imports import ImportReport
from annotation.services.projects import ProjectAct, Task, items_add
from leaderboard.models import Kind, Phase, Submission
from leaderboard.selectors.clips.corpus import corpus_of, references_of
from leaderboard.selectors.visibility.visibility import system_alias


def reference_tasks(phase: Phase, *, one_each: bool = False) -> Iterator[Task]:
    """The references of a phase clip by clip; ``one_each``: the first of each clip."""
    stored = phase.reference_set
    if stored is None:
        return
    for position, clip in enumerate(references_of(stored.content_hash).clips):
        chosen = clip.references[:1] if one_each else clip.references
        for number, text in enumerate(chosen, 1):
            yield Task(
                text,
                meta={
                    "file_name": clip.file_name,
                    "source": stored.name,
                    "index": f"{position + 1}.{number}",
                },
                clip=(stored.pk, position),
            )


def submission_tasks(submission: Submission) -> Iterator[Task]:
    """The captions of a system; raises ``CaptionsUnreadable``.

    Those of a phase that keeps names back name nobody: who labels them may be a rival. Nor do
    they later, so that the same captions are never brought twice.
    """
    corpus = corpus_of(submission)
    heard = submission.phase.reference_set_id if submission.other_references_id is None else None
    named = submission.phase.names_hidden_until is None or submission.kind == Kind.HUMAN
    system = submission.system_name if named else system_alias(submission.phase_id, submission.pk)
    source = f"{system} ({submission.public_id})"
    for number, (name, text) in enumerate(zip(corpus.file_names, corpus.captions, strict=True), 1):
        yield Task(
            text,
            meta={"file_name": name, "source": source, "index": str(number)},
            clip=None if heard is None else (heard, number - 1),
        )


@dataclass(frozen=True, slots=True)
class CaptionSource:
    """Where captions come from; what is None adds nothing. ``choice`` says how a file is read."""

    phase: Phase | None = None
    one_each: bool = False
    submission: Submission | None = None
    file: LabelFile | None = None
    choice: FileChoice = field(default_factory=FileChoice)


@transaction.atomic
def project_fill(*, project: Project, source: CaptionSource, act: ProjectAct) -> ImportReport:
    """Add the captions that the project does not have yet, all sources together or none.

    Raises ``UnreadableLabels`` and ``CaptionsUnreadable``.
    """
    report = ImportReport()
    if source.file is not None:
        report = file_import(
            project=project, file=source.file, choice=source.choice, actor=act.actor, now=act.now
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
        file=source.file.name if source.file else "",
        captions=report.captions,
        annotations=report.annotations,
    )
    return report
