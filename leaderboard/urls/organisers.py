"""Addresses of the pages of people.

Fixed words come first: no phase may have one of them as its address (``services.phases``).
"""

from django.urls import URLPattern, path

from leaderboard.views.organising import (
    audit_log,
    challenges,
    people,
    phases,
    references,
    rescoring,
    submissions,
)

_CHALLENGE = "manage/<slug:challenge>/"
_PHASE = f"{_CHALLENGE}<slug:phase>/"
_SUBMISSIONS = f"{_CHALLENGE}submissions/"
_ANNOUNCEMENTS = f"{_CHALLENGE}announcements/"
_PEOPLE = f"{_CHALLENGE}people/"
_PARTICIPANTS = f"{_PEOPLE}participants/"

urlpatterns: list[URLPattern] = [
    path("manage/", challenges.challenge_list, name="manage"),
    path("manage/new/", challenges.challenge_create, name="manage-new"),
    path("manage/join/<slug:token>/", people.join, name="manage-join"),
    path(_CHALLENGE, challenges.overview, name="manage-overview"),
    path(f"{_CHALLENGE}text/", challenges.text, name="manage-text"),
    path(f"{_CHALLENGE}text/preview/", challenges.preview, name="manage-text-preview"),
    path(f"{_CHALLENGE}text/images/", challenges.image_list, name="manage-text-images"),
    path(f"{_CHALLENGE}phases/", phases.phase_list, name="manage-phases"),
    path(f"{_CHALLENGE}phases/new/", phases.phase_create, name="manage-phase-new"),
    path(_ANNOUNCEMENTS, challenges.announcement_list, name="manage-announcements"),
    path(f"{_ANNOUNCEMENTS}<int:pk>/", challenges.announcement_change, name="manage-announcement"),
    path(_PARTICIPANTS, people.participant_list, name="manage-participants"),
    path(f"{_PEOPLE}participants.csv", people.participants_csv, name="manage-participants-csv"),
    path(f"{_PARTICIPANTS}<int:pk>/", people.participant, name="manage-participant"),
    path(_PEOPLE, people.people, name="manage-people"),
    path(f"{_CHALLENGE}audit/", audit_log.audit, name="manage-audit"),
    path(f"{_CHALLENGE}audit.csv", audit_log.audit_csv, name="manage-audit-csv"),
    path(_SUBMISSIONS, submissions.submission_list, name="manage-submissions"),
    path(f"{_SUBMISSIONS}<slug:public_id>/", submissions.submission, name="manage-submission"),
    path(_PHASE, phases.phase_rules, name="manage-phase"),
    path(f"{_PHASE}ranking/", phases.ranking, name="manage-ranking"),
    path(f"{_PHASE}references/", references.references, name="manage-references"),
    path(f"{_PHASE}audio/", references.audio, name="manage-audio"),
    path(f"{_PHASE}outside/", phases.outside, name="manage-outside"),
    path(f"{_PHASE}rescoring/", rescoring.rescoring, name="manage-rescoring"),
    path(
        f"{_PHASE}rescoring/progress/",
        rescoring.rescoring_progress,
        name="manage-rescoring-progress",
    ),
]
