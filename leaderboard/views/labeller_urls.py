"""Addresses of the labellers of sound descriptors.

Fixed words come first; the name of a labeller has an @ and is none of them.
"""

from django.urls import URLPattern, path

from leaderboard.views.labellers import acting, reading

_ONE = "labellers/<str:identity>/"

urlpatterns: list[URLPattern] = [
    path("labellers/", reading.labeller_list, name="labellers"),
    path("labellers/compare/", reading.compare, name="labeller-compare"),
    path("labellers/phases/", reading.phases, name="labeller-phases"),
    path("labellers/roll-back/", acting.roll_back, name="labeller-roll-back"),
    path("labellers/upload/", acting.upload, name="labeller-upload"),
    path(_ONE, reading.labeller, name="labeller"),
    path(f"{_ONE}delete/", acting.delete, name="labeller-delete"),
    path(f"{_ONE}download/", reading.download, name="labeller-download"),
    path(f"{_ONE}use/", acting.use, name="labeller-use"),
]
