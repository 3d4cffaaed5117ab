"""Addresses of the labelling side."""

from django.urls import URLPattern, path

from annotation.views import adjudication, agreement, formats, projects, tasks, training

app_name = "annotation"
urlpatterns: list[URLPattern] = [
    path("", tasks.project_list, name="projects"),
    path("new/", projects.project_new, name="new"),
    path("<slug:project>/", tasks.label, name="label"),
    path("<slug:project>/export/", formats.export, name="export"),
    path("<slug:project>/manage/", projects.manage, name="manage"),
    path("<slug:project>/manage/settings/", projects.settings, name="manage-settings"),
    path("<slug:project>/manage/state/", projects.state, name="manage-state"),
    path("<slug:project>/manage/captions/", projects.fill, name="manage-fill"),
    path("<slug:project>/manage/members/", projects.member_add, name="member-add"),
    path("<slug:project>/manage/members/<int:pk>/", projects.member_change, name="member-change"),
    path("<slug:project>/history/", tasks.history, name="history"),
    path("<slug:project>/guidelines/", tasks.guidelines, name="guidelines"),
    path("<slug:project>/agreement/", agreement.agreement, name="agreement"),
    path("<slug:project>/agreement/captions/", agreement.captions, name="agreement-captions"),
    path("<slug:project>/models/", training.models, name="models"),
    path("<slug:project>/models/amount/", training.amount, name="models-amount"),
    path("<slug:project>/models/<int:number>/", training.training, name="training"),
    path(
        "<slug:project>/models/<int:number>/progress/", training.progress, name="training-progress"
    ),
    path(
        "<slug:project>/models/<int:number>/captions/", training.captions, name="training-captions"
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
