"""Every address of the site; those of organisers' pages are in ``organisers``."""

from django.contrib import admin
from django.urls import URLPattern, include, path

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
    sharing,
    words,
)
from leaderboard.views.clips import clips, distributions, metric_pair
from leaderboard.views.people import (
    accounts,
    teams,
)
from leaderboard.views.submissions import system, upload

_PHASE = "c/<slug:challenge>/<slug:phase>/"
_SYSTEM = "s/<slug:public_id>/"
_TEAM = "teams/<slug:team>/"
_LABELLER = "labellers/<str:identity>/"
_OWN = "metrics/agreement/own/<int:pk>/"

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
    path(f"{_OWN}delete/", judgments.own_judgments_remove, name="own-judgment-delete"),
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
    path(f"{_PHASE}share.png", sharing.board_picture, name="board-picture"),
    path(f"{_PHASE}starter-kit.zip", upload.starter_kit, name="starter-kit"),
    path(f"{_PHASE}results.zip", challenges.results, name="phase-results"),
    path(f"{_PHASE}export/", board.export, name="board-export"),
    path(f"{_PHASE}history/", board.history, name="history"),
    path(f"{_PHASE}analysis/", analysis.analysis, name="analysis"),
    path(f"{_PHASE}judges/", judgments.judgments, name="judgments"),
    path(f"{_PHASE}judges/<int:pk>/publish/", judgments.publish, name="judgments-publish"),
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
    path(f"{_PHASE}rankings/", board.snapshot_list, name="snapshots"),
    path(f"{_PHASE}rankings/<int:pk>/", board.snapshot, name="snapshot"),
    path(f"{_PHASE}rankings/<int:pk>.json", board.snapshot_json, name="snapshot-json"),
    path(_SYSTEM, system.system, name="system"),
    path(f"{_SYSTEM}share.png", sharing.system_picture, name="system-picture"),
    path(f"{_SYSTEM}progress/", system.system_progress, name="system-progress"),
    path(f"{_SYSTEM}about/", system.system_about, name="system-about"),
    path(f"{_SYSTEM}profile/", analysis.system_profile, name="profile"),
    path(f"{_SYSTEM}words/", words.system_words, name="words-system"),
    path(f"{_SYSTEM}clips/", clips.clip_list, name="clips"),
    path(f"{_SYSTEM}clips/<int:number>/", clips.clip, name="clip"),
    path("audio/<int:reference_set>/<int:number>/", clips.audio, name="audio"),
    # Fixed words come first; the name of a labeller has an @ and is none of them.
    path("labellers/", labellers.labeller_list, name="labellers"),
    path("labellers/phases/", labellers.phases, name="labeller-phases"),
    path("labellers/roll-back/", labellers.roll_back, name="labeller-roll-back"),
    path(_LABELLER, labellers.labeller, name="labeller"),
    path(f"{_LABELLER}delete/", labellers.delete, name="labeller-delete"),
    path(f"{_LABELLER}use/", labellers.use, name="labeller-use"),
]

_PARTICIPANTS: list[URLPattern] = [
    path(f"{_PHASE}submit/", upload.submission_create, name="submission-create"),
    path(f"{_PHASE}submit/check/", upload.submission_check, name="submission-check"),
    path(f"{_PHASE}template.csv", upload.submission_template, name="submission-template"),
    path(f"{_SYSTEM}retry/", upload.submission_retry, name="submission-retry"),
    *(
        path(f"{_SYSTEM}{name}/", system.submission_act, {"act": act}, name=f"submission-{name}")
        for name, act in system.ACTS.items()
    ),
    path(f"{_SYSTEM}file/", upload.submission_file, name="submission-file"),
    path(f"{_SYSTEM}edit/", system.submission_edit, name="submission-edit"),
    path(f"{_SYSTEM}metadata.yaml", system.submission_metadata, name="submission-metadata"),
    path(f"{_SYSTEM}report/", system.submission_report, name="submission-report"),
    path("take-part/<slug:challenge>/", challenges.take_part, name="take-part"),
    path("teams/", teams.team_list, name="teams"),
    path("teams/new/", teams.team_create, name="team-create"),
    path("teams/join/<slug:token>/", teams.team_join, name="team-join"),
    path("teams/join/<slug:token>/decline/", teams.team_decline, name="team-decline"),
    path(_TEAM, teams.team_detail, name="team"),
    path(f"{_TEAM}edit/", teams.team_edit, name="team-edit"),
    path(f"{_TEAM}leave/", teams.team_leave, name="team-leave"),
    path(f"{_TEAM}invite/", teams.team_invite, name="team-invite"),
    path(f"{_TEAM}invite/<int:pk>/revoke/", teams.team_revoke, name="team-revoke"),
    path(f"{_TEAM}members/<int:pk>/role/", teams.member_role, name="team-role"),
    path(f"{_TEAM}members/<int:pk>/remove/", teams.member_remove, name="team-remove"),
    path(f"{_TEAM}members/<int:pk>/hand-over/", teams.team_hand_over, name="team-hand-over"),
    path("notices/", accounts.notice_list, name="notices"),
    path("notices/read/", accounts.notice_read_all, name="notices-read"),
    path("notices/<int:pk>/", accounts.notice_open, name="notice"),
    path("account/", accounts.account, name="account"),
    path("account/name/", accounts.account_rename, name="account-rename"),
    path("account/notices/", accounts.account_notices, name="account-notices"),
    path(
        "account/announcements/<int:pk>/",
        accounts.account_announcements,
        name="account-announcements",
    ),
    path("unsubscribe/<str:token>/", accounts.unsubscribe, name="unsubscribe"),
    path("account/export/", accounts.account_export, name="account-export"),
    path("account/delete/", accounts.account_delete, name="account-delete"),
    path("account/tokens/", accounts.token_list, name="tokens"),
    path("account/tokens/new/", accounts.token_create, name="token-create"),
    path("account/tokens/<int:pk>/delete/", accounts.token_delete, name="token-delete"),
]

urlpatterns = [
    path("", include(([*_READERS, *_PARTICIPANTS, *organisers.urlpatterns], "leaderboard"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("annotate/", include("annotation.urls")),
    path("api/v1/", api.urls),
]
