"""Every address of the site; those of organisers' pages are in ``organisers``."""

from collections.abc import Callable

from django.contrib import admin
from django.http.response import HttpResponseBase
from django.urls import URLPattern, include, path
from django.views.generic import RedirectView

from leaderboard.api import api
from leaderboard.urls import organisers
from leaderboard.views import (
    analysis,
    board,
    challenges,
    documents,
    health,
    judgments,
    lab,
    labellers,
    metrics,
    words,
)
from leaderboard.views.clips import clips, distributions, metric_pair
from leaderboard.views.people import accounts, teams
from leaderboard.views.submissions import system, upload

_PHASE = "c/<slug:challenge>/<slug:phase>/"
_SYSTEM = "s/<slug:public_id>/"
_TEAM = "teams/<slug:team>/"
_LABELLER = "labellers/<str:identity>/"
_OWN = "metrics/agreement/own/<int:pk>/"


def _moved(page: str) -> Callable[..., HttpResponseBase]:
    """Lead for good from an address of before to that of a page."""
    return RedirectView.as_view(pattern_name=f"leaderboard:{page}", permanent=True)


# Pages that anyone may read, and those of labellers.
_READERS: list[URLPattern] = [
    path("", challenges.home, name="home"),
    path("healthz", health.health, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("prometheus", health.prometheus, name="prometheus"),
    path("styleguide/", documents.components, name="components"),
    path("docs/", documents.document_page, name="documents"),
    path("docs/images/<str:picture>", documents.document_picture, name="document-picture"),
    path("docs/<path:document>/", documents.document_page, name="document"),
    path("earmark-<str:version>-py3-none-any.whl", metrics.wheel, name="wheel"),
    path("metrics/", metrics.metrics, name="metrics"),
    path("metrics/try/", metrics.try_metrics, name="metrics-try"),
    path("metrics/agreement/", metrics.agreement, name="metrics-agreement"),
    path("metrics/agreement/own/", judgments.own_judgments, name="own-judgments"),
    path(_OWN, judgments.own_judgment, name="own-judgment"),
    path(f"{_OWN}wrong/<slug:name>/", judgments.own_wrong_pairs, name="own-wrong-pairs"),
    path("metrics/<slug:name>/", metrics.metric, name="metric"),
    path("c/<slug:challenge>/", challenges.challenge, name="challenge"),
    path(
        "c/<slug:challenge>/images/<slug:sha256>.webp",
        challenges.challenge_image,
        name="challenge-image",
    ),
    # No phase may have this address (``services.organising.phases``).
    path("c/<slug:challenge>/phases/", challenges.phases, name="challenge-phases"),
    path("c/<slug:challenge>/results.zip", challenges.results, name="challenge-results"),
    path(_PHASE, board.board, name="board"),
    path(f"{_PHASE}share.png", board.board_picture, name="board-picture"),
    path(f"{_PHASE}starter-kit.zip", upload.starter_kit, name="starter-kit"),
    path(f"{_PHASE}results.zip", challenges.results, name="phase-results"),
    path(f"{_PHASE}export/", board.export, name="board-export"),
    path(f"{_PHASE}history/", board.history, name="history"),
    path(f"{_PHASE}analysis/", analysis.analysis, name="analysis"),
    path(f"{_PHASE}judges/", judgments.judgments, name="judgments"),
    path(
        f"{_PHASE}judges/<int:pk>/wrong/<slug:name>/",
        judgments.phase_wrong_pairs,
        name="judgments-wrong-pairs",
    ),
    path(f"{_PHASE}compare/", analysis.compare, name="compare"),
    path(f"{_PHASE}pair/", metric_pair.metric_pair, name="metric-pair"),
    path(f"{_PHASE}distributions/", distributions.distributions, name="distributions"),
    path(f"{_PHASE}references/", challenges.references, name="references"),
    path(f"{_PHASE}words/", words.phase_words, name="words"),
    path(f"{_PHASE}lab/", lab.lab, name="lab"),
    path(f"{_PHASE}rankings/", _moved("history")),
    path(
        f"{_PHASE}rankings/<int:pk>.json",
        RedirectView.as_view(url="%(pk)s/?format=json", permanent=True),
    ),
    path(f"{_PHASE}rankings/<int:pk>/", board.snapshot, name="snapshot"),
    path(_SYSTEM, system.system, name="system"),
    path(f"{_SYSTEM}progress/", system.system_progress, name="system-progress"),
    path(f"{_SYSTEM}about/", system.system_about, name="system-about"),
    path(f"{_SYSTEM}profile/", analysis.system_profile, name="profile"),
    path(f"{_SYSTEM}words/", words.system_words, name="words-system"),
    path(f"{_SYSTEM}clips/", clips.clip_list, name="clips"),
    path(f"{_SYSTEM}clips/<int:number>/", clips.clip, name="clip"),
    path("audio/<int:reference_set>/<int:number>/", clips.audio, name="audio"),
    path("labellers/", labellers.labeller_list, name="labellers"),
    # The name of a labeller has an @ and is none of these.
    path("labellers/phases/", _moved("labellers")),
    path(_LABELLER, labellers.labeller, name="labeller"),
]

_PARTICIPANTS: list[URLPattern] = [
    path(f"{_PHASE}submit/", upload.submission_create, name="submission-create"),
    path(f"{_PHASE}submit/check/", upload.submission_check, name="submission-check"),
    path(f"{_PHASE}template.csv", upload.submission_template, name="submission-template"),
    path(f"{_SYSTEM}file/", upload.submission_file, name="submission-file"),
    path(f"{_SYSTEM}edit/", system.submission_edit, name="submission-edit"),
    path(f"{_SYSTEM}metadata.yaml", system.submission_metadata, name="submission-metadata"),
    path(f"{_SYSTEM}report/", system.submission_report, name="submission-report"),
    path("take-part/<slug:challenge>/", challenges.take_part, name="take-part"),
    path("teams/", teams.team_list, name="teams"),
    path("teams/new/", _moved("teams")),
    path("teams/join/<slug:token>/", teams.team_join, name="team-join"),
    path(_TEAM, teams.team_detail, name="team"),
    path("notices/", accounts.notice_list, name="notices"),
    path("account/", accounts.account, name="account"),
    path("unsubscribe/<str:token>/", accounts.unsubscribe, name="unsubscribe"),
    path("account/tokens/", accounts.token_list, name="tokens"),
]

urlpatterns = [
    path("", include(([*_READERS, *_PARTICIPANTS, *organisers.urlpatterns], "leaderboard"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("annotate/", include("annotation.urls")),
    path("api/v1/", api.urls),
]
