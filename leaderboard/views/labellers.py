"""Labellers: the list and single ones; choosing and deleting them."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from earmark.errors import ScoringError
from leaderboard import access
from leaderboard.forms.rescoring import LabellerUseForm
from leaderboard.models import Phase
from leaderboard.selectors.figures.labellers import confusion_figure, curve_figure
from leaderboard.selectors.labellers.listing import (
    StoredLabeller,
    choices_of,
    kept_labellers,
    uses_of,
)
from leaderboard.selectors.labellers.scores import (
    MEASURES,
    LabellerFigures,
    cells_off_diagonal,
    curve_of,
    curve_summary,
    in_use_then,
    measure_rows,
)
from leaderboard.selectors.labellers.use import phase_labellers, why_needed
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.services.labellers.registry import labeller_delete
from leaderboard.services.labellers.using import labeller_put_to_use, labeller_roll_back
from leaderboard.views.pages import form_rendered, with_acts
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page

# Of the history as much is shown on the list.
SHOWN = 50


@signed_in_form("leaderboard.labellers", "30/m")
def use(request: SignedInRequest, identity: str) -> HttpResponse:
    """Show what changes with another labeller; put it to use."""
    access.publishing_for(request.user)
    found = access.labeller_for(request.user, identity)
    form = LabellerUseForm(request.POST if request.method == "POST" else None)
    refused = None
    if form.is_valid():
        try:
            labeller_put_to_use(
                labeller=found.row,
                reason=form.cleaned_data["reason"],
                actor=request.user,
                now=timezone.now(),
                seen=form.cleaned_data["seen"],
            )
        except (Refused, ScoringError) as error:
            form.add_error(None, str(error))
            refused = HTTPStatus.CONFLICT
        else:
            messages.success(request, f"{found.identity} is in use.")
            return redirect("leaderboard:labellers")
    in_use = next(row for row in kept_labellers() if row.in_use)
    organised = phase_labellers(access.phases_to_rescore(request.user))
    context = {
        "kept": found,
        "in_use": in_use,
        "fault": found.fault,
        "other_labels": found.labels != in_use.labels,
        "behind": sum(row.differs_from(found.identity) for row in organised),
        "form": form,
    }
    return form_rendered(request, "leaderboard/labellers/use.html", context, refused=refused)


@signed_in_act("leaderboard.labellers", "30/m")
def roll_back(request: SignedInRequest) -> HttpResponse:
    """Put the labeller to use that was in use before."""
    access.publishing_for(request.user)
    seen = request.POST.get("seen", "")[:80] or None
    try:
        made = labeller_roll_back(actor=request.user, now=timezone.now(), seen=seen)
        messages.success(request, f"Rolled back: {made.identity} is in use.")
    except (Refused, ScoringError) as error:
        messages.warning(request, str(error))
    return redirect("leaderboard:labellers")


@with_acts(roll_back=roll_back)
@signed_in_page
def labeller_list(request: SignedInRequest) -> HttpResponse:
    """List the labellers, the one in use marked, how it came to be that, and phases without it."""
    access.labellers_for(request.user)
    rows = kept_labellers()
    uses = uses_of()
    in_use = next(row for row in rows if row.in_use)
    organised = phase_labellers(access.phases_to_rescore(request.user))
    context = {
        "rows": rows,
        "in_use": in_use,
        "broken": in_use.fault,
        "uses": uses[:SHOWN],
        "since": uses[0] if uses else None,
        "may_roll_back": _other_before(uses, in_use),
        "may_publish": access.may_publish_labellers(request.user),
        "behind": [row for row in organised if row.differs_from(in_use.identity)],
        "same": [row for row in organised if not row.differs_from(in_use.identity)],
    }
    return render(request, "leaderboard/labellers/list.html", context)


def _other_before(uses: list[Any], in_use: StoredLabeller) -> str:
    """Identity of the labeller that a roll-back would use, empty where there is none."""
    if not uses:
        return ""
    if len(uses) > 1 and uses[1].labeller_id is not None:
        return str(uses[1].identity)
    shipped = next(row.identity for row in kept_labellers() if row.shipped)
    return "" if shipped == in_use.identity else shipped


@signed_in_act("leaderboard.labellers", "30/m")
def delete(request: SignedInRequest, identity: str) -> HttpResponse:
    """Delete a labeller to which nothing refers."""
    access.publishing_for(request.user)
    found = access.labeller_for(request.user, identity)
    if found.row is None:
        raise Http404
    with refusal_told(request):
        labeller_delete(labeller=found.row, actor=request.user, now=timezone.now())
        messages.success(request, f"{found.identity} was deleted.")
        return redirect("leaderboard:labellers")
    return redirect("leaderboard:labeller", identity=identity)


@with_acts(use=use, delete=delete)
@signed_in_page
def labeller(request: SignedInRequest, identity: str) -> HttpResponse:
    """Show all that is known of a labeller."""
    found = access.labeller_for(request.user, identity)
    seen = Phase.objects.filter(challenge__in=access.challenges_visible(request.user))
    may_publish = access.may_publish_labellers(request.user)
    context = {
        "kept": found,
        "fault": found.fault,
        "choices": choices_of(found.recipe),
        "uses": uses_of(found.identity),
        "phases": [row for row in phase_labellers(seen) if row.identity == found.identity],
        "trainings": access.trainings_for(request.user, found),
        "may_publish": may_publish,
        "not_deletable": why_needed(found.row) if may_publish else "",
    }
    if found.scores is not None:
        context |= _measured(found, found.scores)
    return render(request, "leaderboard/labellers/labeller.html", context)


NO_LABEL = "O"


def _measured(found: StoredLabeller, scores: LabellerFigures) -> dict[str, Any]:
    """What the page of a training shows too, without captions: not all who look may read them."""
    held_out = None if scores.crossed else scores.captions
    own = {name: getattr(scores, name) for name, _, _ in MEASURES}
    then, steps, table = in_use_then(found.report), curve_of(found.report), scores.confusion

    def shown(label: str) -> dict[str, str]:
        return {"title": "No label" if label == NO_LABEL else label}

    more: dict[str, Any] = {}
    if table is not None and any(map(any, table[1])):
        more["confusion"] = confusion_figure(
            *table, ("people", "the labeller"), lambda label: shown(label)["title"]
        )
        more["confusions"] = [
            {"a": shown(a), "b": shown(b), "count": count}
            for a, b, count in cells_off_diagonal(*table)
        ]
    return {
        "measures": measure_rows(own, then) if then else measure_rows(own),
        "columns": ["This labeller", "In use then"] if then else ["This labeller"],
        "scale": Scale(0, 1),
        "labels": [(shown(label), row) for label, row in scores.labels.items()],
        "curve": curve_figure(steps) if steps else None,
        # What an uploaded report says was measured elsewhere, if at all.
        "curve_said": "" if found.claimed else curve_summary(steps, held_out),
        **more,
    }
