"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from leaderboard.api import api
from leaderboard.urls import organisers, participants, public

pages = [
    *public.urlpatterns,
    *participants.urlpatterns,
    *organisers.urlpatterns,
]

urlpatterns = [
    path("", include((pages, "leaderboard"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("annotate/", include("annotation.urls")),
    path("api/v1/", api.urls),
]
