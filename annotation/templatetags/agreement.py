"""Numbers of agreement as readers see them."""

from django import template

from annotation.agreement.measures import Estimate
from annotation.selectors.figures import between, three

register = template.Library()

register.filter("three_decimals", three)


@register.filter
def interval_of(estimate: Estimate) -> str:
    """Write the interval of an estimate, nothing where it has none."""
    return between(estimate)
