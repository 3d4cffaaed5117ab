"""How the fields of forms are drawn."""

from django import template
from django.forms import BoundField
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()
_CHECKED = SafeString(" checked")


@register.filter
def as_input(field: BoundField) -> SafeString:
    """Draw a field's widget; allauth's placeholders, which repeat its labels, are left out."""
    repeats = type(field.form).__module__.startswith("allauth.")
    return field.as_widget(attrs={"placeholder": False} if repeats else None)


@register.simple_tag
def choice_boxes(field: BoundField) -> SafeString:
    """Draw a box for each choice of a field; a template for each of thousands takes too long."""
    chosen = {str(value) for value in field.value() or ()}
    choices = getattr(field.field, "choices", ())
    return format_html_join(
        "",
        '<label class="chooser__choice"><input type="checkbox" name="{}" value="{}" id="{}_{}"{}> '
        '<span class="chooser__text">{}</span></label>',
        (
            (
                field.html_name,
                value,
                field.auto_id,
                place,
                _CHECKED if str(value) in chosen else "",
                text,
            )
            for place, (value, text) in enumerate(choices)
        ),
    )
