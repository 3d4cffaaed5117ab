"""Addresses of the labelling side."""

from django.urls import URLPattern, path

from annotation.views import (
    adjudication,
    agreement,
    agreement_captions,
    exports,
    labelling,
    manage,
    models,
    new,
    training,
)

app_name = "annotation"
urlpatterns: list[URLPattern] = [
    path("", labelling.project_list, name="projects"),
    path("new/", new.project_new, name="new"),
    path("<slug:project>/", labelling.label, name="label"),
    path("<slug:project>/export/", exports.export, name="export"),
    path("<slug:project>/manage/", manage.manage, name="manage"),
    path("<slug:project>/manage/settings/", manage.settings, name="manage-settings"),
    path("<slug:project>/manage/state/", manage.state, name="manage-state"),
    path("<slug:project>/manage/captions/", manage.fill, name="manage-fill"),
    path("<slug:project>/manage/members/", manage.member_add, name="member-add"),
    path("<slug:project>/manage/members/<int:pk>/", manage.member_change, name="member-change"),
    path("<slug:project>/history/", labelling.history, name="history"),
    path("<slug:project>/guidelines/", labelling.guidelines, name="guidelines"),
    path("<slug:project>/agreement/", agreement.agreement, name="agreement"),
    path(
        "<slug:project>/agreement/captions/",
        agreement_captions.captions,
        name="agreement-captions",
    ),
    path("<slug:project>/models/", models.models, name="models"),
    path("<slug:project>/models/amount/", models.amount, name="models-amount"),
    path("<slug:project>/models/<int:number>/", training.training, name="training"),
    path(
        "<slug:project>/models/<int:number>/progress/",
        training.progress,
        name="training-progress",
    ),
    path(
        "<slug:project>/models/<int:number>/captions/",
        training.captions,
        name="training-captions",
    ),
    path("<slug:project>/models/<int:number>/data/", training.data, name="training-data"),
    path("<slug:project>/models/<int:number>/cancel/", training.cancel, name="training-cancel"),
    path("<slug:project>/models/<int:number>/again/", training.again, name="training-again"),
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
