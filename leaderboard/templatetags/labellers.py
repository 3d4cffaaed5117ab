"""How labellers and their figures are shown."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.access.labellers import LabellerTraining

register = template.Library()
NOT_MEASURED = SafeString('<span class="none">n/a</span>')


@register.filter
def as_f1(value: float | str | None) -> str:
    """Write a share from 0 to 1 with three decimals; what was not measured reads n/a."""
    return f"{value:.3f}" if isinstance(value, float) else NOT_MEASURED


@register.filter
def as_gain(value: float | str | None) -> str:
    """Write a difference of two shares with its sign."""
    if not isinstance(value, float):
        return ""
    return f"{value:+.3f}" if round(value, 3) else "0.000"


@register.simple_tag
def training_link(training: LabellerTraining) -> SafeString:
    """Lead to the page of a training."""
    address = reverse("annotation:training", args=[training.project, training.number])
    return format_html('<a href="{}">{}</a>', address, training.title)
