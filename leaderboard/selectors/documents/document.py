"""The documents of ``docs/`` as pages: their HTML, titles, and links among each other."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

INDEX = "README"
# The folders of docs/ with their titles, in the order of the index.
GROUPS = {
    "": "The project",
    "guides": "Guides",
    "reference": "Reference",
    "measurements": "Measurements",
    "decisions": "Decisions",
}
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|#|//")


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a page; ``name`` is its path in docs/ without ``.md``.

    ``headings`` are the anchors and texts of its sections.
    """

    name: str
    title: str
    html: SafeString
    headings: tuple[tuple[str, str], ...]

    @property
    def group(self) -> str:
        """Title of the folder that it stands in."""
        return GROUPS[_folder(self.name)]


@cache
def document_paths() -> dict[str, Path]:
    """Paths of all documents by their names."""
    folder = settings.DOCUMENTS_DIR
    paths = sorted(folder.rglob("*.md"))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}


@cache
def picture_paths() -> dict[str, Path]:
    """Paths of the documents' pictures by their file names."""
    return {path.name: path for path in sorted((settings.DOCUMENTS_DIR / "images").iterdir())}


@cache
def document_of(name: str) -> Document:
    """The document of a name. Raises ``KeyError`` where there is none."""
    tokens = _markdown().parse(document_paths()[name].read_text(encoding="utf-8"))
    title, *rest = _headings(tokens)
    _link(tokens, name)
    html = _markdown().renderer.render(tokens, _markdown().options, {})
    # The documents are the project's own, and HTML in them is off.
    return Document(name, title[1], mark_safe(html), tuple(rest))  # noqa: S308


@cache
def documents_beside(name: str) -> tuple[tuple[str, str], ...]:
    """Names and titles of the documents in the folder of one."""
    folder = _folder(name)
    names = (other for other in document_paths() if _folder(other) == folder and other != INDEX)
    return tuple((other, _title(other)) for other in names)


@cache
def _title(name: str) -> str:
    first = document_paths()[name].read_text(encoding="utf-8").partition("\n")[0]
    return _plain(_markdown().parse(first)[1])


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _headings(tokens: list[Token]) -> list[tuple[str, str]]:
    """The title and the second-level headings, each of which is given its anchor.

    The title itself is taken out: the page has it as its own.
    """
    headings = []
    for opening, inline in list(pairwise(tokens)):
        if opening.type != "heading_open":
            continue
        anchor = anchor_of(inline.content)
        opening.attrSet("id", anchor)
        if opening.tag == "h1":
            del tokens[tokens.index(opening) : tokens.index(opening) + 3]
        if opening.tag in {"h1", "h2"}:
            headings.append((anchor, _plain(inline)))
    return headings


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")


def _link(tokens: list[Token], name: str) -> None:
    """Lead links and pictures to their pages here; what has none here is left as text."""
    for inline in tokens:
        children = inline.children or []
        for token in children:
            if token.type == "image":
                picture = PurePosixPath(str(token.attrs["src"])).name
                token.attrSet("src", reverse("leaderboard:document-picture", args=[picture]))
        for opening, text, closing in zip(children, children[1:], children[2:], strict=False):
            if opening.type == "link_open":
                _lead(opening, text, closing, name)


def _lead(opening: Token, text: Token, closing: Token, name: str) -> None:
    """Lead one link on; a document that is called by its file is called by its title here."""
    link = str(opening.attrs["href"])
    if _OUTSIDE.match(link):
        return
    path, _, anchor = link.partition("#")
    target = normpath(f"{_folder(name)}/{path}".lstrip("/")).removesuffix(".md")
    if target in document_paths():
        opening.attrSet("href", document_address(target) + (f"#{anchor}" if anchor else ""))
        if text.content.endswith(".md"):
            text.content = _title(target)
        return
    for token in (opening, closing):
        token.type, token.tag, token.nesting, token.attrs = "text", "", 0, {}


def document_address(name: str) -> str:
    """The address of a document's page."""
    if name == INDEX:
        return reverse("leaderboard:documents")
    return reverse("leaderboard:document", args=[name])
