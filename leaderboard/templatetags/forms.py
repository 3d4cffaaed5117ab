"""How the fields of forms are drawn."""

from html import escape

from django import template
from django.forms import BoundField
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def as_input(field: BoundField) -> SafeString:
    """Draw a field's widget; allauth's placeholders, which repeat its labels, are left out."""
    repeats = type(field.form).__module__.startswith("allauth.")
    return field.as_widget(attrs={"placeholder": False} if repeats else None)


@register.simple_tag
def choice_boxes(field: BoundField) -> SafeString:
    """Draw a box for each choice of a field; a template for each of thousands takes too long."""
    chosen = {str(value) for value in field.value() or ()}
    boxes = (
        f'<label class="chooser__choice"><input type="checkbox" name="{field.html_name}" '
        f'value="{escape(str(value))}" id="{field.auto_id}_{place}"'
        f"{' checked' if str(value) in chosen else ''}> "
        f'<span class="chooser__text">{escape(str(text))}</span></label>'
        for place, (value, text) in enumerate(getattr(field.field, "choices", ()))
    )
    return mark_safe("".join(boxes))  # noqa: S308 - what people wrote is escaped
