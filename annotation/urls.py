"""Addresses of the labelling side."""

from django.urls import URLPattern, path

from annotation.views import agreement, labelling

app_name = "annotation"
urlpatterns: list[URLPattern] = [
    path("", labelling.project_list, name="projects"),
    path("<slug:project>/", labelling.label, name="label"),
    path("<slug:project>/history/", labelling.history, name="history"),
    path("<slug:project>/guidelines/", labelling.guidelines, name="guidelines"),
    path("<slug:project>/agreement/", agreement.agreement, name="agreement"),
    path("<slug:project>/agreement/captions/", agreement.captions, name="agreement-captions"),
]
