"""Addresses of the pages that anyone may read, and of labellers."""

from django.urls import URLPattern, path

from leaderboard.views import (
    analysis,
    board,
    challenges,
    lab,
    labellers,
    metrics,
    playground,
    ranking,
    words,
)
from leaderboard.views.clips import audio, clips, distributions
from leaderboard.views.submissions import system

_LABELLER = "labellers/<str:identity>/"

urlpatterns: list[URLPattern] = [
    path("", challenges.home, name="home"),
    path("healthz", challenges.health, name="healthz"),
    path("earmark-<str:version>-py3-none-any.whl", metrics.wheel, name="wheel"),
    path("metrics/", metrics.metrics, name="metrics"),
    path("metrics/try/", playground.try_metrics, name="metrics-try"),
    path("metrics/agreement/", metrics.agreement, name="metrics-agreement"),
    path("metrics/<slug:name>/", metrics.metric, name="metric"),
    path("c/<slug:challenge>/", challenges.challenge, name="challenge"),
    path("c/<slug:challenge>/<slug:phase>/", board.board, name="board"),
    path("c/<slug:challenge>/<slug:phase>/export/", board.export, name="board-export"),
    path("c/<slug:challenge>/<slug:phase>/history/", ranking.history, name="history"),
    path("c/<slug:challenge>/<slug:phase>/analysis/", analysis.analysis, name="analysis"),
    path("c/<slug:challenge>/<slug:phase>/compare/", analysis.compare, name="compare"),
    path(
        "c/<slug:challenge>/<slug:phase>/distributions/",
        distributions.distributions,
        name="distributions",
    ),
    path("c/<slug:challenge>/<slug:phase>/words/", words.phase_words, name="words"),
    path("c/<slug:challenge>/<slug:phase>/lab/", lab.lab, name="lab"),
    path("c/<slug:challenge>/<slug:phase>/rankings/", ranking.snapshot_list, name="snapshots"),
    path("c/<slug:challenge>/<slug:phase>/rankings/<int:pk>/", ranking.snapshot, name="snapshot"),
    path(
        "c/<slug:challenge>/<slug:phase>/rankings/<int:pk>.json",
        ranking.snapshot_json,
        name="snapshot-json",
    ),
    path("s/<slug:public_id>/", system.system, name="system"),
    path("s/<slug:public_id>/progress/", system.system_progress, name="system-progress"),
    path("s/<slug:public_id>/profile/", analysis.system_profile, name="profile"),
    path("s/<slug:public_id>/words/", words.system_words, name="words-system"),
    path("s/<slug:public_id>/clips/", clips.clip_list, name="clips"),
    path("s/<slug:public_id>/clips/<int:number>/", clips.clip, name="clip"),
    path("audio/<int:reference_set>/<int:number>/", audio.audio, name="audio"),
    # Fixed words come first; the name of a labeller has an @ and is none of them.
    path("labellers/", labellers.labeller_list, name="labellers"),
    path("labellers/compare/", labellers.compare, name="labeller-compare"),
    path("labellers/phases/", labellers.phases, name="labeller-phases"),
    path("labellers/roll-back/", labellers.roll_back, name="labeller-roll-back"),
    path("labellers/upload/", labellers.upload, name="labeller-upload"),
    path(_LABELLER, labellers.labeller, name="labeller"),
    path(f"{_LABELLER}delete/", labellers.delete, name="labeller-delete"),
    path(f"{_LABELLER}download/", labellers.download, name="labeller-download"),
    path(f"{_LABELLER}use/", labellers.use, name="labeller-use"),
]
