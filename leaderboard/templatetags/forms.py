"""How the fields of forms are drawn."""

from django import template
from django.forms import BoundField
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def as_input(field: BoundField) -> SafeString:
    """Draw a field's widget; allauth's placeholders, which repeat its labels, are left out."""
    repeats = type(field.form).__module__.startswith("allauth.")
    return field.as_widget(attrs={"placeholder": False} if repeats else None)
