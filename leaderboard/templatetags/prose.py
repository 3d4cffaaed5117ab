"""Markdown that organisers write, made safe."""

from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown; HTML in it is shown as text, and images are left out."""
    html: str = _renderer().render(text)
    return mark_safe(html)  # noqa: S308 - HTML is off, and markdown-it refuses unsafe links


@cache
def _renderer() -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    renderer.add_render_rule("link_open", _link)
    renderer.add_render_rule("heading_open", _heading)
    renderer.add_render_rule("heading_close", _heading)
    return renderer


def _link(
    self: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    _env: MutableMapping[str, Any],
) -> str:
    """Links lead out; nothing of this site goes with them."""
    tokens[index].attrSet("rel", "nofollow noopener")
    return self.renderToken(tokens, index, options, _env)


def _heading(
    self: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    _env: MutableMapping[str, Any],
) -> str:
    """Headings stand below the page's own h1 and the section's h2."""
    token = tokens[index]
    token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    return self.renderToken(tokens, index, options, _env)
