"""What every page says of notices."""

from django import template

from leaderboard.models import User
from leaderboard.selectors.notices import unread_count

register = template.Library()


@register.filter
def unread_notices(user: object) -> int:
    """Count what a person has not read; pages of errors know nobody."""
    return unread_count(user) if isinstance(user, User) else 0
