"""Links into the documents."""

from django import template

from leaderboard.selectors.documents.document import anchor_of

register = template.Library()
register.filter(anchor_of)
