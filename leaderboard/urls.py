"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from leaderboard.api import api
from leaderboard.views import labeller_urls, manage_urls, public_urls, taking_part_urls

pages = [
    *public_urls.urlpatterns,
    *taking_part_urls.urlpatterns,
    *labeller_urls.urlpatterns,
    *manage_urls.urlpatterns,
]

urlpatterns = [
    path("", include((pages, "leaderboard"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("annotate/", include("annotation.urls")),
    path("api/v1/", api.urls),
]
