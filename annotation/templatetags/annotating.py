"""What every page asks of the labelling side."""

from django import template

from annotation import access
from leaderboard.models import User

register = template.Library()


@register.filter
def has_projects(user: object) -> bool:
    """Tell whether a page leads someone to the projects; pages of errors know nobody."""
    return isinstance(user, User) and access.has_projects(user)
