"""The starter kit of a phase as a zip: of the same state the same bytes."""

import io
import re
import zipfile
from pathlib import Path

from django.conf import settings
from django.template import Context, Template
from django.urls import reverse

import earmark
from leaderboard.models import Phase

KIT = Path(__file__).resolve().parent / "kit"
README = "README.md"
_FILES = ("*.md", "*.py", "*.txt")
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+.!|<>&~-])")


def kit_name(phase: Phase) -> str:
    """The name of the folder in the zip; the zip's own with .zip after it."""
    return f"{phase.challenge.slug}-{phase.slug}-starter-kit"


def kit_packed(phase: Phase) -> bytes:
    """Pack the kit of a phase: the files as they are, and the README with what is the phase's."""
    out = io.BytesIO()
    paths = sorted(path for pattern in _FILES for path in KIT.glob(pattern))
    with zipfile.ZipFile(out, "w") as archive:
        for path in paths:
            entry = zipfile.ZipInfo(f"{kit_name(phase)}/{path.name}", _NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            text = path.read_text(encoding="utf-8")
            archive.writestr(entry, _filled_in(text, phase) if path.name == README else text)
    return out.getvalue()


def _filled_in(text: str, phase: Phase) -> str:
    slugs = [phase.challenge.slug, phase.slug]
    context = {
        "phase": phase,
        "title": plain_markdown(phase.challenge.title),
        "name": plain_markdown(phase.name),
        "slug": "/".join(slugs),
        "names": "-".join(slugs) + ".csv",
        "site": settings.SITE_URL,
        "address": settings.SITE_URL + reverse("leaderboard:board", args=slugs),
        "template": settings.SITE_URL + reverse("leaderboard:submission-template", args=slugs),
        "wheel": settings.SITE_URL + reverse("leaderboard:wheel", args=[earmark.__version__]),
    }
    return str(Template(text).render(Context(context)))


def plain_markdown(text: str) -> str:
    r"""One line that reads as it is written, whatever it holds.

    >>> plain_markdown("Sounds | <b>\n\n    rm `x`")
    'Sounds \\| \\<b\\> rm \\`x\\`'
    """
    printable = "".join(char if char.isprintable() else " " for char in text)
    return _MARKUP.sub(r"\\\1", " ".join(printable.split()))
