"""Addresses of the pages for those who take part."""

from django.urls import URLPattern, path

from leaderboard.views.people import accounts, team_members, teams
from leaderboard.views.submissions import changes, upload

urlpatterns: list[URLPattern] = [
    path(
        "c/<slug:challenge>/<slug:phase>/submit/",
        upload.submission_create,
        name="submission-create",
    ),
    path(
        "c/<slug:challenge>/<slug:phase>/submit/check/",
        upload.submission_check,
        name="submission-check",
    ),
    path(
        "c/<slug:challenge>/<slug:phase>/template.csv",
        upload.submission_template,
        name="submission-template",
    ),
    path("s/<slug:public_id>/retry/", upload.submission_retry, name="submission-retry"),
    path("s/<slug:public_id>/withdraw/", changes.submission_withdraw, name="submission-withdraw"),
    path(
        "s/<slug:public_id>/take-back/",
        changes.submission_take_back,
        name="submission-take-back",
    ),
    path("s/<slug:public_id>/choose/", changes.submission_choose, name="submission-choose"),
    path("s/<slug:public_id>/file/", upload.submission_file, name="submission-file"),
    path("s/<slug:public_id>/edit/", changes.submission_edit, name="submission-edit"),
    path(
        "s/<slug:public_id>/metadata.yaml",
        changes.submission_metadata,
        name="submission-metadata",
    ),
    path("s/<slug:public_id>/report/", changes.submission_report, name="submission-report"),
    path("teams/", teams.team_list, name="teams"),
    path("teams/new/", teams.team_create, name="team-create"),
    path("teams/join/<slug:token>/", team_members.team_join, name="team-join"),
    path("teams/join/<slug:token>/decline/", team_members.team_decline, name="team-decline"),
    path("teams/<slug:team>/", teams.team_detail, name="team"),
    path("teams/<slug:team>/edit/", teams.team_edit, name="team-edit"),
    path("teams/<slug:team>/leave/", team_members.team_leave, name="team-leave"),
    path("teams/<slug:team>/invite/", team_members.team_invite, name="team-invite"),
    path("teams/<slug:team>/invite/<int:pk>/revoke/", team_members.team_revoke, name="team-revoke"),
    path("teams/<slug:team>/members/<int:pk>/role/", team_members.member_role, name="team-role"),
    path(
        "teams/<slug:team>/members/<int:pk>/remove/", team_members.member_remove, name="team-remove"
    ),
    path(
        "teams/<slug:team>/members/<int:pk>/hand-over/",
        team_members.team_hand_over,
        name="team-hand-over",
    ),
    path("notices/", accounts.notice_list, name="notices"),
    path("notices/read/", accounts.notice_read_all, name="notices-read"),
    path("notices/<int:pk>/", accounts.notice_open, name="notice"),
    path("account/", accounts.account, name="account"),
    path("account/name/", accounts.account_rename, name="account-rename"),
    path("account/notices/", accounts.account_notices, name="account-notices"),
    path("account/export/", accounts.account_export, name="account-export"),
    path("account/delete/", accounts.account_delete, name="account-delete"),
    path("account/tokens/", accounts.token_list, name="tokens"),
    path("account/tokens/new/", accounts.token_create, name="token-create"),
    path("account/tokens/<int:pk>/delete/", accounts.token_delete, name="token-delete"),
]
