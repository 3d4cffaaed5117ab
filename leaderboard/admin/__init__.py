"""The admin: for organisers in an emergency; daily work has pages of its own."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin

from leaderboard.admin import challenges, people, submissions

__all__ = ["challenges", "people", "submissions"]

admin.site.site_header = admin.site.site_title = f"{settings.SITE_NAME} administration"
# One door: rate limits and whatever else guards the log-in hold here, too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
