"""Addresses of the labelling side."""

from django.urls import URLPattern, path

from annotation.views import adjudication, agreement, exports, labelling

app_name = "annotation"
urlpatterns: list[URLPattern] = [
    path("", labelling.project_list, name="projects"),
    path("<slug:project>/", labelling.label, name="label"),
    path("<slug:project>/export/", exports.export, name="export"),
    path("<slug:project>/history/", labelling.history, name="history"),
    path("<slug:project>/guidelines/", labelling.guidelines, name="guidelines"),
    path("<slug:project>/agreement/", agreement.agreement, name="agreement"),
    path("<slug:project>/agreement/captions/", agreement.captions, name="agreement-captions"),
    path("<slug:project>/adjudicate/", adjudication.adjudicate, name="adjudicate"),
    path("<slug:project>/adjudicate/start/", adjudication.start, name="adjudicate-start"),
    path("<slug:project>/adjudicate/single/", adjudication.single, name="adjudicate-single"),
    path("<slug:project>/adjudicate/<int:item_id>/", adjudication.item, name="adjudicate-item"),
    path(
        "<slug:project>/adjudicate/<int:item_id>/settle/",
        adjudication.settle,
        name="adjudicate-settle",
    ),
    path(
        "<slug:project>/adjudicate/<int:item_id>/reopen/",
        adjudication.reopen,
        name="adjudicate-reopen",
    ),
]
