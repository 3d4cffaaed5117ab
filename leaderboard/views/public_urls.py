"""Addresses of the pages that anyone may read."""

from django.urls import URLPattern, path

from leaderboard.views import (
    analysis,
    boards,
    challenges,
    clips,
    distributions,
    health,
    home,
    metrics,
    profiles,
    systems,
    trying,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("metrics/", metrics.metrics, name="metrics"),
    path("metrics/try/", trying.try_metrics, name="metrics-try"),
    path("metrics/<slug:name>/", metrics.metric, name="metric"),
    path("c/<slug:challenge>/", challenges.challenge, name="challenge"),
    path("c/<slug:challenge>/<slug:phase>/", boards.board, name="board"),
    path("c/<slug:challenge>/<slug:phase>/analysis/", analysis.analysis, name="analysis"),
    path("c/<slug:challenge>/<slug:phase>/compare/", analysis.compare, name="compare"),
    path(
        "c/<slug:challenge>/<slug:phase>/distributions/",
        distributions.distributions,
        name="distributions",
    ),
    path("s/<slug:public_id>/", systems.system, name="system"),
    path("s/<slug:public_id>/progress/", systems.system_progress, name="system-progress"),
    path("s/<slug:public_id>/profile/", profiles.system_profile, name="profile"),
    path("s/<slug:public_id>/clips/", clips.clip_list, name="clips"),
    path("s/<slug:public_id>/clips/<int:number>/", clips.clip, name="clip"),
]
