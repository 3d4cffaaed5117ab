"""How fields of forms are drawn: as Django does, without a template for each option and attribute.

A select of a hundred options takes three hundred templates with Django's own.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

_WIDGETS = "django/forms/widgets/"
_INPUTS = "checkbox date datetime email file hidden input number password search tel text time url"
_INPUT_NAMES = {f"{_WIDGETS}{name}.html" for name in _INPUTS.split()}
_OPTION_NAMES = {f"{_WIDGETS}{name}_option.html" for name in ("checkbox", "input", "radio")}


class FormRenderer(DjangoTemplates):
    """Django's own renderer, with fields written by functions and no list of no errors."""

    def render(
        self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None
    ) -> str:
        """What the template of this name would say, spaces between options aside."""
        if template_name == f"{_WIDGETS}select.html" and _has_plain_options(context["widget"]):
            return select_html(context["widget"])
        if template_name in _INPUT_NAMES:
            return input_html(context["widget"])
        if template_name in _OPTION_NAMES:
            return option_html(context["widget"])
        if template_name == f"{_WIDGETS}textarea.html":
            return textarea_html(context["widget"])
        if template_name == "django/forms/errors/list/default.html" and not context["errors"]:
            return SafeString()
        return super().render(template_name, context, request)


def _has_plain_options(widget: Mapping[str, Any]) -> bool:
    name = f"{_WIDGETS}select_option.html"
    return all(one["template_name"] == name for _, group, _ in widget["optgroups"] for one in group)


def select_html(widget: Mapping[str, Any]) -> SafeString:
    """A select with its groups of options."""
    parts = [f'<select name="{_escaped(widget["name"])}"{_attributes(widget["attrs"])}>']
    for title, options, _ in widget["optgroups"]:
        if title:
            parts.append(f'<optgroup label="{_escaped(title)}">')
        parts += (
            f'<option value="{_escaped(one["value"])}"{_attributes(one["attrs"])}>'
            f"{_escaped(one['label'])}</option>"
            for one in options
        )
        if title:
            parts.append("</optgroup>")
    return _safe("".join([*parts, "</select>"]))


def input_html(widget: Mapping[str, Any]) -> SafeString:
    """An input of any type."""
    value = "" if widget["value"] is None else f' value="{_escaped(widget["value"])}"'
    return _safe(
        f'<input type="{_escaped(widget["type"])}" name="{_escaped(widget["name"])}"'
        f"{value}{_attributes(widget['attrs'])}>"
    )


def option_html(widget: Mapping[str, Any]) -> SafeString:
    """A radio or a box, in its label where the widget says so."""
    drawn, key = input_html(widget), widget["attrs"].get("id")
    if not widget["wrap_label"]:
        return drawn
    target = f' for="{_escaped(key)}"' if key else ""
    return _safe(f"<label{target}>{drawn} {_escaped(widget['label'])}</label>")


def textarea_html(widget: Mapping[str, Any]) -> SafeString:
    """A field of several lines; its first line break, which browsers drop, is none of the text."""
    return _safe(
        f'<textarea name="{_escaped(widget["name"])}"{_attributes(widget["attrs"])}>\n'
        f"{_escaped(widget['value'] or '')}</textarea>"
    )


def _attributes(attrs: Mapping[str, Any]) -> str:
    return "".join(
        f" {_escaped(name)}" if value is True else f' {_escaped(name)}="{_escaped(value)}"'
        for name, value in attrs.items()
        if value is not False
    )


def _escaped(value: object) -> str:
    """As templates write it; Django's own function takes three times as long."""
    text = str(value)
    return text if isinstance(text, SafeString) else escape(text)


def _safe(text: str) -> SafeString:
    return mark_safe(text)  # noqa: S308 - every part of it is escaped
