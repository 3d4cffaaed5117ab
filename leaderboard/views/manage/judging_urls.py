"""Addresses of judging: submissions, rescoring, the audit log."""

from django.urls import URLPattern, path

from leaderboard.views.manage import audit, rescoring, submissions

_LIST = "manage/<slug:challenge>/submissions/"
_ONE = f"{_LIST}<slug:public_id>/"
_RESCORING = "manage/<slug:challenge>/<slug:phase>/rescoring/"

of_a_challenge: list[URLPattern] = [
    path("manage/<slug:challenge>/audit/", audit.audit, name="manage-audit"),
    path("manage/<slug:challenge>/audit.csv", audit.audit_csv, name="manage-audit-csv"),
    path(_LIST, submissions.submission_list, name="manage-submissions"),
    path(f"{_LIST}retry/", submissions.submission_retry_many, name="manage-submissions-retry"),
    path(_ONE, submissions.submission, name="manage-submission"),
    path(f"{_ONE}retry/", submissions.submission_retry_one, name="manage-submission-retry"),
    path(f"{_ONE}disqualify/", submissions.submission_out, name="manage-submission-disqualify"),
    path(f"{_ONE}restore/", submissions.submission_in, name="manage-submission-restore"),
    path(f"{_ONE}mark/", submissions.submission_kind, name="manage-submission-mark"),
]

of_a_phase: list[URLPattern] = [
    path(_RESCORING, rescoring.rescoring, name="manage-rescoring"),
    path(f"{_RESCORING}labeller/", rescoring.rescoring_labeller, name="manage-rescoring-labeller"),
    path(f"{_RESCORING}progress/", rescoring.rescoring_progress, name="manage-rescoring-progress"),
    path(
        f"{_RESCORING}<int:pk>/publish/",
        rescoring.rescoring_set_published,
        name="manage-rescoring-publish",
    ),
    path(f"{_RESCORING}<int:pk>/retry/", rescoring.rescoring_again, name="manage-rescoring-retry"),
    path(
        f"{_RESCORING}<int:pk>/discard/", rescoring.rescoring_away, name="manage-rescoring-discard"
    ),
    path(f"{_RESCORING}<int:pk>/back/", rescoring.rescoring_undo, name="manage-rescoring-back"),
]
