"""Addresses of the pages for those who take part."""

from django.urls import URLPattern, path

from leaderboard.views import submissions, teams, tokens

urlpatterns: list[URLPattern] = [
    path(
        "c/<slug:challenge>/<slug:phase>/submit/",
        submissions.submission_create,
        name="submission-create",
    ),
    path(
        "c/<slug:challenge>/<slug:phase>/submit/check/",
        submissions.submission_check,
        name="submission-check",
    ),
    path(
        "c/<slug:challenge>/<slug:phase>/template.csv",
        submissions.submission_template,
        name="submission-template",
    ),
    path("s/<slug:public_id>/retry/", submissions.submission_retry, name="submission-retry"),
    path("s/<slug:public_id>/file/", submissions.submission_file, name="submission-file"),
    path("teams/", teams.team_list, name="teams"),
    path("teams/new/", teams.team_create, name="team-create"),
    path("teams/join/<slug:token>/", teams.team_join, name="team-join"),
    path("teams/<slug:team>/", teams.team_detail, name="team"),
    path("teams/<slug:team>/invite/", teams.team_invite, name="team-invite"),
    path("teams/<slug:team>/invite/<int:pk>/revoke/", teams.team_revoke, name="team-revoke"),
    path("account/tokens/", tokens.token_list, name="tokens"),
    path("account/tokens/new/", tokens.token_create, name="token-create"),
    path("account/tokens/<int:pk>/delete/", tokens.token_delete, name="token-delete"),
]
