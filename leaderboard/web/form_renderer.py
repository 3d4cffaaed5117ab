"""How fields of forms are drawn: as Django does, without a template for each option and attribute.

A select of a hundred options takes three hundred templates with Django's own.
"""

from collections.abc import Mapping
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_WIDGETS = "django/forms/widgets/"
_INPUTS = "checkbox date datetime email file hidden input number password search tel text time url"
_INPUT_NAMES = {f"{_WIDGETS}{name}.html" for name in _INPUTS.split()}
_OPTION_NAMES = {f"{_WIDGETS}{name}_option.html" for name in ("checkbox", "input", "radio")}


class FormRenderer(DjangoTemplates):
    """Django's own renderer, with selects, inputs and missing errors written by functions."""

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
        if template_name == "django/forms/errors/list/default.html" and not context["errors"]:
            return SafeString()
        return super().render(template_name, context, request)


def _has_plain_options(widget: Mapping[str, Any]) -> bool:
    name = f"{_WIDGETS}select_option.html"
    return all(one["template_name"] == name for _, group, _ in widget["optgroups"] for one in group)


def select_html(widget: Mapping[str, Any]) -> SafeString:
    """A select with its groups of options."""
    groups = SafeString()
    for title, options, _ in widget["optgroups"]:
        rows = format_html_join(
            "",
            '<option value="{}"{}>{}</option>',
            ((str(one["value"]), _attributes(one["attrs"]), one["label"]) for one in options),
        )
        groups += format_html('<optgroup label="{}">{}</optgroup>', title, rows) if title else rows
    attributes = _attributes(widget["attrs"])
    return format_html('<select name="{}"{}>{}</select>', widget["name"], attributes, groups)


def input_html(widget: Mapping[str, Any]) -> SafeString:
    """An input of any type."""
    value = widget["value"]
    return format_html(
        '<input type="{}" name="{}"{}{}>',
        widget["type"],
        widget["name"],
        "" if value is None else format_html(' value="{}"', str(value)),
        _attributes(widget["attrs"]),
    )


def option_html(widget: Mapping[str, Any]) -> SafeString:
    """A radio or a box, in its label where the widget says so."""
    drawn, key = input_html(widget), widget["attrs"].get("id")
    if not widget["wrap_label"]:
        return drawn
    target = format_html(' for="{}"', key) if key else ""
    return format_html("<label{}>{} {}</label>", target, drawn, widget["label"])


def _attributes(attrs: Mapping[str, Any]) -> SafeString:
    return format_html_join(
        "",
        "{}{}",
        (
            (f" {name}", "" if value is True else format_html('="{}"', str(value)))
            for name, value in attrs.items()
            if value is not False
        ),
    )
