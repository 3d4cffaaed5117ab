"""Pictures that other sites show beside links to pages of this one.

They are what a visitor may see, whoever asks: their servers ask for them without a log-in, and
show them to everyone.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from io import BytesIO
from itertools import accumulate

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from PIL import Image, ImageDraw, ImageFont

from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.board.table import table_of
from leaderboard.selectors.submissions.system_report import report_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.templatetags.numbers import as_number, interval_text
from leaderboard.web.visitors_cache import cached_for_visitors

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
    path = finders.find(_FONTS.format(script))
    if not isinstance(path, str):
        raise FileNotFoundError(_FONTS.format(script))
    font = ImageFont.truetype(path, size)
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


@require_safe
@cached_for_visitors()
def board_picture(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Draw the picture of a leaderboard."""
    visitor = AnonymousUser()
    found = access.phase_for(visitor, challenge, phase)
    with_scores = access.may_see_scores(visitor, found)
    return _png(shared_board(found, with_scores=with_scores, now=timezone.now()))


@require_safe
@cached_for_visitors()
def system_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """Draw the picture of a system."""
    visitor = AnonymousUser()
    submission = access.submission_for(visitor, public_id)
    with_others = access.may_see_scores(visitor, submission.phase)
    return _png(shared_system(submission, with_others=with_others, now=timezone.now()))


def _png(picture: SharePicture) -> HttpResponse:
    return HttpResponse(share_png(picture), content_type="image/png")


LINES = 4


def shared_board(phase: Phase, *, with_scores: bool, now: datetime) -> SharePicture:
    """A phase and, ``with_scores``, those who lead it."""
    lines: tuple[ShareLine, ...] = ()
    foot = "The scores of this phase are not public."
    if with_scores:
        table = table_of(phase, BoardQuery(), view=public_view(phase, now))
        lines = tuple(_line(row, phase) for row in table.rows[:LINES] if row.rank is not None)
        number = f"{table.total:,} system{'' if table.total == 1 else 's'}"
        foot = f"{number}, ranked by {table.ranking.info.label}"
    return SharePicture(settings.SITE_NAME, phase.challenge.title, phase.name, lines, foot)


def _line(row: RankedRow, phase: Phase) -> ShareLine:
    shown = row.shown(phase.ranking_metric)
    value = as_number(shown.value, phase.ranking)
    return ShareLine(f"{row.rank}", f"{row.system_name}, {row.team_name}", value)


def shared_system(submission: AnySubmission, *, with_others: bool, now: datetime) -> SharePicture:
    """A system and its main scores; its rank where ``with_others`` everyone sees those of all."""
    phase = submission.phase
    report = report_of(submission, with_others=with_others, view=public_view(phase, now))
    scores = report.leading[:LINES] if with_others else ()
    lines = tuple(
        ShareLine(item.info.label, interval_text(item.low, item.high, item.info), number)
        for item, _ in scores
        if (number := as_number(item.value, item.info))
    )
    rank = report.place.rank if report.place else None
    foot = f"{phase.challenge.title}, {phase.name}"
    if report.place and rank is not None:
        foot = f"Rank {rank} of {report.place.teams}, {foot}"
    names = submission.system_name, submission.team.name
    return SharePicture(settings.SITE_NAME, *names, lines, foot)
