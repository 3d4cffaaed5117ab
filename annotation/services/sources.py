"""Captions that the site has already, as captions to be labelled.

Whoever calls has asked whether they may be read: references can be hidden.
"""

from collections.abc import Iterator

from annotation.services.projects import Task
from leaderboard.models import Kind, Phase, Submission
from leaderboard.selectors.captions import references_of
from leaderboard.selectors.clips import corpus_of
from leaderboard.selectors.naming import system_alias


def reference_tasks(phase: Phase, *, one_each: bool = False) -> Iterator[Task]:
    """Give the references of a phase clip by clip; ``one_each``: the first of each clip."""
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
    """Give the captions of a system; raises ``CaptionsUnreadable``.

    Those of a phase that keeps names back name nobody: who labels them may be a rival. Nor do
    they later, so that the same captions are never brought twice.
    """
    corpus = corpus_of(submission)
    heard = submission.phase.reference_set_id if submission.other_references_id is None else None
    for number, (name, text) in enumerate(zip(corpus.file_names, corpus.captions, strict=True), 1):
        source = f"{_name(submission)} ({submission.public_id})"
        yield Task(
            text,
            meta={"file_name": name, "source": source, "index": str(number)},
            clip=None if heard is None else (heard, number - 1),
        )


def _name(submission: Submission) -> str:
    if submission.phase.names_hidden_until is None or submission.kind == Kind.HUMAN:
        return submission.system_name
    return system_alias(submission.phase_id, submission.pk)
