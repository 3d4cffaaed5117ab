"""Addresses of the pages of organisers.

Fixed words come first: no phase may have one of them as its address (``services.phases``).
"""

from django.urls import URLPattern, path

from leaderboard.views.organising import (
    announcements,
    audio,
    audit_log,
    challenges,
    organisers,
    phases,
    references,
    rescoring,
    submissions,
)

_LIST = "manage/<slug:challenge>/submissions/"
_ONE = f"{_LIST}<slug:public_id>/"
_RESCORING = "manage/<slug:challenge>/<slug:phase>/rescoring/"

_JUDGING_OF_A_CHALLENGE: list[URLPattern] = [
    path("manage/<slug:challenge>/audit/", audit_log.audit, name="manage-audit"),
    path("manage/<slug:challenge>/audit.csv", audit_log.audit_csv, name="manage-audit-csv"),
    path(_LIST, submissions.submission_list, name="manage-submissions"),
    path(f"{_LIST}retry/", submissions.submission_retry_many, name="manage-submissions-retry"),
    path(_ONE, submissions.submission, name="manage-submission"),
    path(f"{_ONE}retry/", submissions.submission_retry_one, name="manage-submission-retry"),
    path(
        f"{_ONE}disqualify/", submissions.submission_disqualify, name="manage-submission-disqualify"
    ),
    path(f"{_ONE}restore/", submissions.submission_restore, name="manage-submission-restore"),
    path(f"{_ONE}mark/", submissions.submission_mark, name="manage-submission-mark"),
]

_JUDGING_OF_A_PHASE: list[URLPattern] = [
    path(_RESCORING, rescoring.rescoring, name="manage-rescoring"),
    path(f"{_RESCORING}labeller/", rescoring.rescoring_labeller, name="manage-rescoring-labeller"),
    path(f"{_RESCORING}progress/", rescoring.rescoring_progress, name="manage-rescoring-progress"),
    path(
        f"{_RESCORING}<int:pk>/publish/",
        rescoring.rescoring_publish,
        name="manage-rescoring-publish",
    ),
    path(f"{_RESCORING}<int:pk>/retry/", rescoring.rescoring_retry, name="manage-rescoring-retry"),
    path(
        f"{_RESCORING}<int:pk>/discard/",
        rescoring.rescoring_discard,
        name="manage-rescoring-discard",
    ),
    path(
        f"{_RESCORING}<int:pk>/back/", rescoring.rescoring_roll_back, name="manage-rescoring-back"
    ),
]

urlpatterns: list[URLPattern] = [
    path("manage/", challenges.challenge_list, name="manage"),
    path("manage/new/", challenges.challenge_create, name="manage-new"),
    path("manage/preview/", challenges.preview, name="manage-preview"),
    path("manage/join/<slug:token>/", organisers.join, name="manage-join"),
    path("manage/<slug:challenge>/", challenges.overview, name="manage-overview"),
    path("manage/<slug:challenge>/publish/", challenges.publish, name="manage-publish"),
    path(
        "manage/<slug:challenge>/delete/",
        challenges.challenge_delete,
        name="manage-challenge-delete",
    ),
    path("manage/<slug:challenge>/text/", challenges.text, name="manage-text"),
    path("manage/<slug:challenge>/phases/", phases.phase_list, name="manage-phases"),
    path("manage/<slug:challenge>/phases/new/", phases.phase_create, name="manage-phase-new"),
    path(
        "manage/<slug:challenge>/announcements/",
        announcements.announcement_list,
        name="manage-announcements",
    ),
    path(
        "manage/<slug:challenge>/announcements/<int:pk>/",
        announcements.announcement_change,
        name="manage-announcement",
    ),
    path(
        "manage/<slug:challenge>/announcements/<int:pk>/delete/",
        announcements.announcement_delete,
        name="manage-announcement-delete",
    ),
    path("manage/<slug:challenge>/people/", organisers.people, name="manage-people"),
    path(
        "manage/<slug:challenge>/people/<int:pk>/remove/",
        organisers.person_remove,
        name="manage-person-remove",
    ),
    path(
        "manage/<slug:challenge>/people/invitations/<int:pk>/revoke/",
        organisers.invitation_revoke,
        name="manage-invitation-revoke",
    ),
    *_JUDGING_OF_A_CHALLENGE,
    path("manage/<slug:challenge>/<slug:phase>/", phases.phase_rules, name="manage-phase"),
    path("manage/<slug:challenge>/<slug:phase>/move/", phases.phase_move, name="manage-phase-move"),
    path(
        "manage/<slug:challenge>/<slug:phase>/delete/",
        phases.phase_delete,
        name="manage-phase-delete",
    ),
    path("manage/<slug:challenge>/<slug:phase>/ranking/", phases.ranking, name="manage-ranking"),
    path(
        "manage/<slug:challenge>/<slug:phase>/ranking/freeze/",
        phases.freeze,
        name="manage-freeze",
    ),
    path(
        "manage/<slug:challenge>/<slug:phase>/ranking/reveal/",
        phases.reveal,
        name="manage-reveal",
    ),
    path(
        "manage/<slug:challenge>/<slug:phase>/references/",
        references.references,
        name="manage-references",
    ),
    path(
        "manage/<slug:challenge>/<slug:phase>/references/use/",
        references.references_use,
        name="manage-references-use",
    ),
    path("manage/<slug:challenge>/<slug:phase>/audio/", audio.audio, name="manage-audio"),
    path(
        "manage/<slug:challenge>/<slug:phase>/audio/address/",
        audio.audio_address,
        name="manage-audio-address",
    ),
    path(
        "manage/<slug:challenge>/<slug:phase>/audio/delete/",
        audio.audio_delete,
        name="manage-audio-delete",
    ),
    *_JUDGING_OF_A_PHASE,
]
