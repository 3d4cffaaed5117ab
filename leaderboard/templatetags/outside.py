"""What pages of a phase tell of judges from elsewhere."""

from django import template

from leaderboard.models import Phase
from leaderboard.selectors.outside.phase import host_asked

register = template.Library()


@register.inclusion_tag("leaderboard/challenges/_sent_outside.html")
def sent_outside(phase: Phase) -> dict[str, object]:
    """Say to which host captions and references are sent, if they are."""
    return {"host": host_asked(phase)}
