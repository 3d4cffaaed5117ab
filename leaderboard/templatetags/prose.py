"""Markdown that organisers write, made safe."""

from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from django import template
from django.core.cache import caches
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from leaderboard.selectors.organising.challenges import ChallengeImages, ShownImage

register = template.Library()

# Pages are shown far more often than their texts change.
KEPT = 86_400
# Grows with whatever changes the HTML of the same text.
_VERSION = 3
# A table has as many cells as its first row has columns, in each of its rows, however short
# they are; and what a link refers to is written out wherever it is referred to. With both,
# little text makes much HTML.
MOST_CELLS = 10_000
LONGEST_HTML = 400_000


@register.filter
def markdown(text: str, images: ChallengeImages | None = None) -> SafeString:
    """Render Markdown; HTML in it is shown as text.

    An image stands where the text names one of ``images``, as in ``![What it shows](setup)``; what
    lies elsewhere is never loaded, and its description is shown. The same text is rendered once a
    day. What would become far too much HTML is shown as it was written.
    """
    shown = dict(images.by_name) if images else {}
    content = f"{text}\0{shown}".encode("utf-8", "replace")
    key = f"markdown:{_VERSION}:{sha256(content).hexdigest()}"
    html: str | None = caches["parts"].get(key)
    if html is None:
        html = _rendered(text, shown)
        caches["parts"].set(key, html, KEPT)
    return mark_safe(html)  # noqa: S308 - HTML is off, and markdown-it refuses unsafe links


def _rendered(text: str, images: Mapping[str, ShownImage]) -> str:
    lines = text.splitlines()
    # An upper bound on the cells that its tables can have.
    cells = len(lines) * max((line.count("|") for line in lines), default=0)
    renderer = _renderer(tables=cells <= MOST_CELLS)
    tokens = renderer.parse(text)
    _move_headings(tokens)
    html: str = renderer.renderer.render(tokens, renderer.options, {"images": images})
    return html if len(html) <= LONGEST_HTML else format_html("<pre>{}</pre>", text)


@cache
def _renderer(*, tables: bool) -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": False})
    if tables:
        renderer.enable("table")
    renderer.add_render_rule("link_open", _link)
    renderer.add_render_rule("image", _image)
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


def _image(
    self: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    env: MutableMapping[str, Any],
) -> str:
    """An image of the challenge by its name; of any other the description alone."""
    token = tokens[index]
    description = self.renderInlineAsText(token.children or [], options, env)
    image: ShownImage | None = env["images"].get(token.attrGet("src"))
    if image is None:
        return escape(description)
    return format_html(
        '<img src="{}" alt="{}" width="{}" height="{}" loading="lazy">',
        image.address,
        description,
        image.width,
        image.height,
    )


def _move_headings(tokens: Sequence[Token]) -> None:
    """Headings stand right below the page's h1 and the section's h2, whatever they begin with."""
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    highest = min((int(token.tag[1]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1]) - highest + 3)}"
