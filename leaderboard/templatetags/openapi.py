"""Types of the API's description in plain words, for the page about it."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

_PLAIN = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
}
_FORMATS = {"date-time": "time", "binary": "file"}


@register.filter
def fields_of(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The fields of an object with what they are; a field may be called "items"."""
    return list(schema.get("properties", {}).items())


@register.filter
def kind_of(schema: Mapping[str, Any]) -> SafeString:
    """What a value may be; objects with a name are links to where they are described."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return format_html('<a href="#{}">{}</a>', name, name)
    if choices := schema.get("anyOf") or schema.get("allOf"):
        return format_html_join(" or ", "{}", ((kind_of(one),) for one in choices))
    if values := schema.get("enum"):
        return format_html_join(", ", "<code>{}</code>", ((value,) for value in values))
    if schema.get("type") == "array":
        return format_html("list of {}", kind_of(schema.get("items", {})))
    if isinstance(inner := schema.get("additionalProperties"), Mapping):
        return format_html("{} by name", kind_of(inner))
    plain = _FORMATS.get(schema.get("format", "")) or _PLAIN.get(schema.get("type", ""), "anything")
    return mark_safe(plain)  # noqa: S308 one of the words above
