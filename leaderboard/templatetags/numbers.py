"""Numbers, intervals and moments as readers see them."""

import math
from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from earmark.registry import MetricInfo
from leaderboard.models import User
from leaderboard.selectors.people.notices import unread_count
from leaderboard.selectors.ranking.interval_scale import Scale

register = template.Library()

BAR_WIDTH, BAR_HEIGHT, BAR_MARGIN = 120, 14, 4


@register.filter
def as_number(value: float | None, info: MetricInfo) -> str:
    """Write a value with the metric's decimals; nothing for what has no value."""
    if value is None or not math.isfinite(value):
        return ""
    text = f"{value:,.{info.decimals}f}"
    # A rounded -0.0004 must not read "-0.000".
    return text.lstrip("-") if not any(digit in text for digit in "123456789") else text


@register.filter
def as_signed(value: float, info: MetricInfo) -> str:
    """Write a difference with its sign and the metric's decimals."""
    text = as_number(value, info)
    return f"+{text}" if value > 0 and any(digit in text for digit in "123456789") else text


@register.filter
def as_p_value(value: float) -> str:
    """Write a p-value as papers do: three decimals, no leading zero."""
    if not math.isfinite(value):
        return ""
    if value < 0.001:
        return "<.001"
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1"


@register.filter
def as_f1(value: float | str | None) -> str:
    """Write a share from 0 to 1 with three decimals; what was not measured reads n/a."""
    not_measured = SafeString('<span class="none">n/a</span>')
    return f"{value:.3f}" if isinstance(value, float) else not_measured


@register.filter
def as_share(share: float) -> str:
    """Write a share (0 to 1) in per cent; only what is exactly 0 or 1 reads 0 or 100 %."""
    if 0 < share < 0.001:
        return "below 0.1 %"
    if 0.999 < share < 1:
        return "above 99.9 %"
    return f"{100 * share:.1f} %" if share not in {0, 1} else f"{100 * share:.0f} %"


@register.filter
def as_points(difference: float) -> str:
    """Write a difference of shares (-1 to 1) in percentage points, with its sign.

    >>> as_points(0.0312), as_points(-0.0004), as_points(-0.2)
    ('+3.1', '0.0', '-20.0')
    """
    text = f"{100 * difference:+.1f}"
    return text if any(digit in text for digit in "123456789") else "0.0"


@register.filter
def as_range(info: MetricInfo) -> str:
    """Write the range of a metric."""
    if math.isinf(info.high):
        return "any number" if info.low == -math.inf else f"{info.low:g} and up"
    return f"{info.low:g} to {info.high:g}"


@register.filter
def as_direction(info: MetricInfo) -> str:
    """Which direction is better, in words."""
    return f"{info.direction} is better"


# What the keys of a signature stand for, where every metric means the same by them.
SETTING_TITLES = {
    "beta": "Weight of recall",
    "desc": "Labeller",
    "dev": "Distance from other classes",
    "events": "List of sound events",
    "fl": "Fluency detector",
    "idf": "Weighted by idf",
    "layer": "Layer of the model",
    "len": "Reference length",
    "lex": "Lexicon",
    "match": "Words match by",
    "meteor": "Version and language",
    "mode": "Mode",
    "model": "Model of word vectors",
    "n": "Longest n-gram",
    "parser": "Parser",
    "pen": "Penalty for a fluency error",
    "phrases": "How phrases are found",
    "rel": "Relevance of sound events",
    "rep": "Threshold of redundancy",
    "rules": "Version of the rules",
    "sbert": "Sentence encoder",
    "senses": "Senses of a word",
    "sigma": "Width of the length penalty",
    "learned": "Learned weights",
    "sim": "Threshold of similarity",
    "tag": "Threshold of a class",
    "tags": "List of sound classes",
    "thr": "Threshold",
    "tok": "Tokeniser",
    "weights": "Weights of tuples",
}


@register.filter
def setting_title(key: str) -> str:
    """What a key of a signature stands for; the key itself where nobody named it."""
    return SETTING_TITLES.get(key, key)


@register.simple_tag
def interval_text(low: float | None, high: float | None, info: MetricInfo) -> str:
    """Write a 95 % interval, or nothing where there is none."""
    if low is None or high is None:
        return ""
    return f"{as_number(low, info)} to {as_number(high, info)}"


@register.simple_tag
def moment(at: datetime | None) -> str | SafeString:
    """Write a point in time, in UTC."""
    if at is None:
        return ""
    utc = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{}</time>',
        utc.isoformat(timespec="seconds"),
        f"{utc.day} {utc:%b %Y, %H:%M} UTC",
    )


@register.simple_tag
def day(at: datetime) -> SafeString:
    """Write a day, with the exact time as title."""
    utc = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        utc.isoformat(timespec="seconds"),
        f"{utc:%Y-%m-%d %H:%M} UTC",
        f"{utc:%Y-%m-%d}",
    )


@register.simple_tag
def interval_bar(
    value: float | None, low: float | None, high: float | None, scale: Scale | None
) -> SafeString:
    """Draw a value and its interval on a scale, with the scale's other values as faint ticks."""
    if value is None or scale is None:
        return SafeString("")
    middle = BAR_HEIGHT / 2
    parts = [f'<path class="interval__axis" d="M{BAR_MARGIN} {middle}H{BAR_WIDTH - BAR_MARGIN}" />']
    if scale.ticks:
        # Those that would fall together are drawn once.
        places = dict.fromkeys(_position(tick, scale) for tick in scale.ticks)
        drawn = "".join(f"M{place} 3v8" for place in places)
        parts.append(f'<path class="interval__ticks" d="{drawn}" />')
    if low is not None and high is not None:
        span = f"M{_position(low, scale)} {middle}H{_position(high, scale)}"
        parts.append(f'<path class="interval__span" d="{span}" />')
    dot = f'<circle class="interval__dot" cx="{_position(value, scale)}" cy="{middle}" r="2.75" />'
    svg: SafeString = mark_safe(  # noqa: S308 numbers alone
        f'<svg class="interval" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" '
        f'viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}" aria-hidden="true" focusable="false">'
        f"{''.join(parts)}{dot}</svg>"
    )
    return svg


def _position(value: float, scale: Scale) -> float:
    span = scale.high - scale.low
    share = (value - scale.low) / span if span > 0 else 0.5
    share = min(1.0, max(0.0, share))
    return round(BAR_MARGIN + share * (BAR_WIDTH - 2 * BAR_MARGIN), 1)


@register.filter
def unread_notices(user: object) -> int:
    """Count what a person has not read; pages of errors know nobody."""
    return unread_count(user) if isinstance(user, User) else 0
