"""Pictures that other sites show beside a link to a page (Open Graph, 1200 x 630 pixels)."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import accumulate

from django.contrib.staticfiles import finders
from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
_EDGE = 72
_PAPER, _INK, _SOFT, _RULE, _ACCENT = "#fcfcfa", "#15191c", "#525a5f", "#dcdfda", "#0a5c6b"
_FONTS = "vendor/source-sans-3/source-sans-3-{}-wght-normal.woff2"
# What each of the two files has signs for, as the style sheet says, in the order of choice.
_LATIN = ((0x20, 0xFF), (0x2000, 0x206F), (0x20AC, 0x20AC), (0x2122, 0x2122), (0x2212, 0x2212))
_LATIN_EXT = ((0x100, 0x2BA), (0x1E00, 0x1E9F), (0x1EF2, 0x1EFF), (0x2C60, 0x2C7F))
_REGULAR, _STRONG = 400, 650
_TITLES = (58, 50, 44, 38)


@dataclass(frozen=True, slots=True)
class ShareLine:
    """A line of numbers: what stands left, in the middle, and right."""

    left: str
    middle: str
    right: str


@dataclass(frozen=True, slots=True)
class SharePicture:
    """What a picture says: the site, a title, a line below it, and a few lines of numbers."""

    site: str
    title: str
    subtitle: str
    lines: Sequence[ShareLine]
    foot: str


def share_png(picture: SharePicture) -> bytes:
    """Draw a picture, as PNG.

    Signs that the site's typeface lacks, as of other scripts, are left out of names; the title and
    the description that go with a link have them.
    """
    image = Image.new("RGB", SIZE, _PAPER)
    draw = ImageDraw.Draw(image)
    width = SIZE[0] - 2 * _EDGE
    draw.rectangle((0, 0, 16, SIZE[1]), fill=_ACCENT)
    _write(draw, (_EDGE, 92), picture.site, 30, _ACCENT, width, weight=_STRONG)
    fitting = (size for size in _TITLES if _width(picture.title, size, _STRONG) <= width)
    title = next(fitting, _TITLES[-1])
    _write(draw, (_EDGE, 166), picture.title, title, _INK, width, weight=_STRONG)
    _write(draw, (_EDGE, 222), picture.subtitle, 32, _SOFT, width)
    top = 300
    for line in picture.lines:
        draw.line((_EDGE, top - 44, SIZE[0] - _EDGE, top - 44), fill=_RULE, width=2)
        used = _write(draw, (_EDGE, top), line.left, 36, _INK, width, weight=_STRONG)
        right = _width(line.right, 36, _REGULAR)
        _write(draw, (SIZE[0] - _EDGE - right, top), line.right, 36, _INK, right + 1)
        room = width - used - right - 48
        _write(draw, (_EDGE + used + 24, top), line.middle, 36, _INK, room)
        top += 66
    _write(draw, (_EDGE, SIZE[1] - 44), picture.foot, 28, _SOFT, width)
    output = BytesIO()
    # Few colours, so that the file is small; the typeface's edges keep enough of them.
    image.quantize(32).save(output, "PNG", optimize=True)
    return output.getvalue()


@cache
def _font(script: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    found = finders.find(_FONTS.format(script))
    if not isinstance(found, str):
        raise FileNotFoundError(_FONTS.format(script))
    font = ImageFont.truetype(found, size)
    font.set_variation_by_axes([weight])
    return font


def _script(sign: str) -> str:
    code = ord(sign)
    if any(low <= code <= high for low, high in _LATIN):
        return "latin"
    return "latin-ext" if any(low <= code <= high for low, high in _LATIN_EXT) else ""


def _width(text: str, size: int, weight: int) -> float:
    return sum(_font(_script(sign), size, weight).getlength(sign) for sign in text if _script(sign))


def _cut(text: str, size: int, weight: int, room: float) -> str:
    """A text, or as much of its beginning as there is room for with an ellipsis."""
    if _width(text, size, weight) <= room:
        return text
    end = _width("…", size, weight)
    upto = list(accumulate((_width(sign, size, weight) for sign in text), initial=end))
    return f"{text[: max(bisect_right(upto, room) - 1, 0)].rstrip()}…"


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: int,
    colour: str,
    room: float,
    *,
    weight: int = _REGULAR,
) -> float:
    """Write a text on its base line, cut with an ellipsis to ``room``; returns its width."""
    shown = " ".join("".join(sign for sign in text if _script(sign)).split())
    shown = _cut(shown, size, weight, room)
    x = at[0]
    for sign in shown:
        font = _font(_script(sign), size, weight)
        draw.text((x, at[1]), sign, font=font, fill=colour, anchor="ls")
        x += font.getlength(sign)
    return x - at[0]
