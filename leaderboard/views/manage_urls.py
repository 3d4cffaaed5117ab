"""Addresses of the pages of organisers.

Fixed words come first: no phase may have one of them as its address (``services.phases``).
"""

from django.urls import URLPattern, path

from leaderboard.views.manage import (
    announcements,
    audio,
    challenges,
    freezing,
    judging_urls,
    people,
    phases,
    references,
    text,
)

urlpatterns: list[URLPattern] = [
    path("manage/", challenges.challenge_list, name="manage"),
    path("manage/new/", challenges.challenge_create, name="manage-new"),
    path("manage/preview/", text.preview, name="manage-preview"),
    path("manage/join/<slug:token>/", people.join, name="manage-join"),
    path("manage/<slug:challenge>/", challenges.overview, name="manage-overview"),
    path("manage/<slug:challenge>/publish/", challenges.publish, name="manage-publish"),
    path(
        "manage/<slug:challenge>/delete/",
        challenges.challenge_delete,
        name="manage-challenge-delete",
    ),
    path("manage/<slug:challenge>/text/", text.text, name="manage-text"),
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
    path("manage/<slug:challenge>/people/", people.people, name="manage-people"),
    path(
        "manage/<slug:challenge>/people/<int:pk>/remove/",
        people.person_remove,
        name="manage-person-remove",
    ),
    path(
        "manage/<slug:challenge>/people/invitations/<int:pk>/revoke/",
        people.invitation_revoke,
        name="manage-invitation-revoke",
    ),
    *judging_urls.of_a_challenge,
    path("manage/<slug:challenge>/<slug:phase>/", phases.phase_rules, name="manage-phase"),
    path("manage/<slug:challenge>/<slug:phase>/move/", phases.phase_move, name="manage-phase-move"),
    path(
        "manage/<slug:challenge>/<slug:phase>/delete/",
        phases.phase_delete,
        name="manage-phase-delete",
    ),
    path("manage/<slug:challenge>/<slug:phase>/ranking/", freezing.ranking, name="manage-reveal"),
    path(
        "manage/<slug:challenge>/<slug:phase>/ranking/freeze/",
        freezing.freeze,
        name="manage-freeze",
    ),
    path(
        "manage/<slug:challenge>/<slug:phase>/ranking/reveal/",
        freezing.reveal,
        name="manage-reveal-now",
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
    *judging_urls.of_a_phase,
]
