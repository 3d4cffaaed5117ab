"""The profile of a system: what it hears, imagines and leaves out, and how it writes."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Submission
from leaderboard.selectors.analysis.candidates import several_candidates
from leaderboard.selectors.analysis.extremes import extremes_of
from leaderboard.selectors.analysis.profile import SystemProfile, profile_of
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.clips import CaptionsUnreadable, Corpus, corpus_of
from leaderboard.selectors.figures import Figure
from leaderboard.selectors.figures.candidates import best_figure, tuples_figure
from leaderboard.selectors.figures.profile import (
    counts_figure,
    groups_figure,
    labels_figure,
    lengths_figure,
)
from leaderboard.views.kept import part_of_page


@require_safe
def system_profile(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what the details of all clips add up to."""
    submission = access.clips_for(request.user, public_id)
    view = access.view_of(request.user, submission.phase, timezone.now())
    corpus = _corpus(submission)
    return render(
        request,
        "leaderboard/profile.html",
        {
            "submission": submission,
            "phase": submission.phase,
            "challenge": submission.phase.challenge,
            "part": part_of_page(
                request,
                "leaderboard/_profile.html",
                (systems_stamp([submission]), view, submission.phase.ranking_metric),
                lambda: _content(submission, corpus),
            ),
        },
    )


def _content(submission: Submission, corpus: Corpus) -> dict[str, Any]:
    profile = profile_of(submission, corpus)
    ours, theirs = profile.writing
    told = {"submission": submission, "profile": profile, "ours": ours, "theirs": theirs}
    extremes = extremes_of(submission, corpus)
    return {**told, "extremes": extremes, **_figures(profile), **_several(submission)}


def _several(submission: Submission) -> dict[str, Any]:
    found = several_candidates(submission)
    if found is None:
        return {}
    return {
        "several": found,
        "by_tuples": tuples_figure(found),
        "by_best": best_figure(found),
    }


def _corpus(submission: Submission) -> Corpus:
    try:
        return corpus_of(submission)
    except CaptionsUnreadable as error:
        raise Http404 from error


def _figures(profile: SystemProfile) -> dict[str, Figure | None]:
    figures: dict[str, Any] = {"lengths": lengths_figure(*profile.writing)}
    if profile.events:
        figures["groups"] = groups_figure(profile.events)
    if profile.counts is not None:
        figures["counts"] = counts_figure(*profile.counts)
    if profile.labels:
        figures["labels"] = labels_figure(profile.labels)
    return figures
