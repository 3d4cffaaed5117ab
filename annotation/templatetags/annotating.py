"""What every page asks of the labelling side."""

from django import template

from annotation.selectors.site_header import SiteHeader, site_header_of
from leaderboard.models import User

register = template.Library()


@register.simple_tag
def site_header(user: object) -> SiteHeader:
    """Say what the head of a page shows to someone; pages of errors know nobody."""
    return site_header_of(user) if isinstance(user, User) else SiteHeader()
