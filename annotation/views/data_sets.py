"""Data sets in the making: the list, a new one, and what one holds."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.forms.data_sets import NewDataSetForm
from annotation.models import DataSet, Member
from annotation.selectors.data_sets.overview import data_set_rows
from annotation.services.data_sets.making import DataSetAct, data_set_create
from annotation.views.tasks import label
from leaderboard.web.requests import SignedInRequest

# A project may have this address from before there were data sets.
OLD_PROJECT = "data-sets"


def act_of(request: SignedInRequest) -> DataSetAct:
    """Who does something, now."""
    return DataSetAct(request.user, timezone.now())


@login_required
@require_safe
@never_cache
def data_set_list(request: SignedInRequest) -> HttpResponse:
    """List the data sets that one works on."""
    if Member.objects.filter(project__slug=OLD_PROJECT, user=request.user).exists():
        return label(request, OLD_PROJECT)
    context = {
        "rows": data_set_rows(access.data_sets_of(request.user)),
        "may_create": access.may_create_projects(request.user),
    }
    return render(request, "annotation/data_sets/data_sets.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: SignedInRequest) -> HttpResponse:
    """Show the form; make a data set."""
    if not access.may_create_projects(request.user):
        raise Http404
    form = NewDataSetForm(request.POST if request.method == "POST" else None)
    if not (form.is_bound and form.is_valid()):
        status = 422 if form.is_bound else 200
        return render(request, "annotation/data_sets/new.html", {"form": form}, status=status)
    made = data_set_create(name=form.cleaned_data["name"], act=act_of(request))
    return redirect("annotation:data-set", data_set=made.slug)


def data_set_page(
    request: SignedInRequest,
    data_set: DataSet,
    template: str,
    *,
    status: int = 200,
    **shown: object,
) -> HttpResponse:
    """Show a page of a data set; ``shown`` is what its template needs besides."""
    context = {"data_set": data_set, **shown}
    return render(request, f"annotation/data_sets/{template}.html", context, status=status)


@login_required
@require_safe
@never_cache
def overview(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show what a data set holds and how far it is."""
    found = access.data_set_for(request.user, data_set)
    return data_set_page(request, found, "overview", row=data_set_rows([found])[0])
