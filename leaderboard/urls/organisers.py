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
_RESCORING = f"{_PHASE}rescoring/"
_DRY_RUN = f"{_RESCORING}<int:pk>/"
_ANNOUNCEMENTS = f"{_CHALLENGE}announcements/"
_IMAGES = f"{_CHALLENGE}text/images/"
_PEOPLE = f"{_CHALLENGE}people/"
_PARTICIPANTS = f"{_PEOPLE}participants/"

urlpatterns: list[URLPattern] = [
    path("manage/", challenges.challenge_list, name="manage"),
    path("manage/new/", challenges.challenge_create, name="manage-new"),
    path("manage/join/<slug:token>/", people.join, name="manage-join"),
    path(_CHALLENGE, challenges.overview, name="manage-overview"),
    path(f"{_CHALLENGE}publish/", challenges.publish, name="manage-publish"),
    path(f"{_CHALLENGE}delete/", challenges.challenge_delete, name="manage-challenge-delete"),
    path(f"{_CHALLENGE}text/", challenges.text, name="manage-text"),
    path(f"{_CHALLENGE}text/preview/", challenges.preview, name="manage-text-preview"),
    path(_IMAGES, challenges.image_list, name="manage-text-images"),
    path(f"{_IMAGES}<slug:name>/logo/", challenges.image_logo, name="manage-text-image-logo"),
    path(f"{_IMAGES}<slug:name>/delete/", challenges.image_remove, name="manage-text-image-delete"),
    path(f"{_CHALLENGE}phases/", phases.phase_list, name="manage-phases"),
    path(f"{_CHALLENGE}phases/new/", phases.phase_create, name="manage-phase-new"),
    path(_ANNOUNCEMENTS, challenges.announcement_list, name="manage-announcements"),
    path(f"{_ANNOUNCEMENTS}<int:pk>/", challenges.announcement_change, name="manage-announcement"),
    path(
        f"{_ANNOUNCEMENTS}<int:pk>/delete/",
        challenges.announcement_delete,
        name="manage-announcement-delete",
    ),
    path(
        f"{_ANNOUNCEMENTS}<int:pk>/mail/",
        challenges.announcement_mail,
        name="manage-announcement-mail",
    ),
    path(_PARTICIPANTS, people.participant_list, name="manage-participants"),
    path(
        f"{_PEOPLE}participants.csv",
        people.participants_csv,
        name="manage-participants-csv",
    ),
    path(f"{_PARTICIPANTS}<int:pk>/", people.participant, name="manage-participant"),
    path(_PEOPLE, people.people, name="manage-people"),
    path(f"{_PEOPLE}<int:pk>/remove/", people.person_remove, name="manage-person-remove"),
    path(
        f"{_PEOPLE}invitations/<int:pk>/revoke/",
        people.invitation_revoke,
        name="manage-invitation-revoke",
    ),
    path(f"{_CHALLENGE}audit/", audit_log.audit, name="manage-audit"),
    path(f"{_CHALLENGE}audit.csv", audit_log.audit_csv, name="manage-audit-csv"),
    path(_SUBMISSIONS, submissions.submission_list, name="manage-submissions"),
    path(f"{_SUBMISSIONS}<slug:public_id>/", submissions.submission, name="manage-submission"),
    path(_PHASE, phases.phase_rules, name="manage-phase"),
    path(f"{_PHASE}move/", phases.phase_move, name="manage-phase-move"),
    path(f"{_PHASE}delete/", phases.phase_delete, name="manage-phase-delete"),
    path(f"{_PHASE}ranking/", phases.ranking, name="manage-ranking"),
    path(f"{_PHASE}ranking/freeze/", phases.freeze, name="manage-freeze"),
    path(f"{_PHASE}ranking/reveal/", phases.reveal, name="manage-reveal"),
    path(f"{_PHASE}references/", references.references, name="manage-references"),
    path(f"{_PHASE}references/use/", references.references_use, name="manage-references-use"),
    path(f"{_PHASE}audio/", references.audio, name="manage-audio"),
    path(f"{_PHASE}audio/address/", references.audio_address, name="manage-audio-address"),
    path(f"{_PHASE}audio/delete/", references.audio_delete, name="manage-audio-delete"),
    path(f"{_PHASE}outside/", phases.outside, name="manage-outside"),
    path(f"{_PHASE}outside/off/", phases.outside_off, name="manage-outside-off"),
    path(_RESCORING, rescoring.rescoring, name="manage-rescoring"),
    path(
        f"{_RESCORING}composite/", rescoring.rescoring_composite, name="manage-rescoring-composite"
    ),
    path(f"{_RESCORING}labeller/", rescoring.rescoring_labeller, name="manage-rescoring-labeller"),
    path(f"{_RESCORING}progress/", rescoring.rescoring_progress, name="manage-rescoring-progress"),
    path(f"{_DRY_RUN}publish/", rescoring.rescoring_publish, name="manage-rescoring-publish"),
    path(f"{_DRY_RUN}retry/", rescoring.rescoring_retry, name="manage-rescoring-retry"),
    path(f"{_DRY_RUN}discard/", rescoring.rescoring_discard, name="manage-rescoring-discard"),
    path(f"{_DRY_RUN}back/", rescoring.rescoring_roll_back, name="manage-rescoring-back"),
]
