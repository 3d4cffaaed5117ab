"""Addresses of the pages that anyone may read."""

from django.urls import URLPattern, path

from leaderboard.views import (
    analysis,
    audio,
    boards,
    challenges,
    clips,
    distributions,
    health,
    history,
    home,
    lab,
    metrics,
    profiles,
    snapshots,
    systems,
    trying,
    words,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("metrics/", metrics.metrics, name="metrics"),
    path("metrics/try/", trying.try_metrics, name="metrics-try"),
    path("metrics/agreement/", metrics.agreement, name="metrics-agreement"),
    path("metrics/<slug:name>/", metrics.metric, name="metric"),
    path("c/<slug:challenge>/", challenges.challenge, name="challenge"),
    path("c/<slug:challenge>/<slug:phase>/", boards.board, name="board"),
    path("c/<slug:challenge>/<slug:phase>/export/", boards.export, name="board-export"),
    path("c/<slug:challenge>/<slug:phase>/history/", history.history, name="history"),
    path("c/<slug:challenge>/<slug:phase>/analysis/", analysis.analysis, name="analysis"),
    path("c/<slug:challenge>/<slug:phase>/compare/", analysis.compare, name="compare"),
    path(
        "c/<slug:challenge>/<slug:phase>/distributions/",
        distributions.distributions,
        name="distributions",
    ),
    path("c/<slug:challenge>/<slug:phase>/words/", words.phase_words, name="words"),
    path("c/<slug:challenge>/<slug:phase>/lab/", lab.lab, name="lab"),
    path("c/<slug:challenge>/<slug:phase>/rankings/", snapshots.snapshot_list, name="snapshots"),
    path("c/<slug:challenge>/<slug:phase>/rankings/<int:pk>/", snapshots.snapshot, name="snapshot"),
    path(
        "c/<slug:challenge>/<slug:phase>/rankings/<int:pk>.json",
        snapshots.snapshot_json,
        name="snapshot-json",
    ),
    path("s/<slug:public_id>/", systems.system, name="system"),
    path("s/<slug:public_id>/progress/", systems.system_progress, name="system-progress"),
    path("s/<slug:public_id>/profile/", profiles.system_profile, name="profile"),
    path("s/<slug:public_id>/words/", words.system_words, name="words-system"),
    path("s/<slug:public_id>/clips/", clips.clip_list, name="clips"),
    path("s/<slug:public_id>/clips/<int:number>/", clips.clip, name="clip"),
    path("audio/<int:reference_set>/<int:number>/", audio.audio, name="audio"),
]
