"""Addresses of the pages of clips, many at once."""

from django.urls import reverse

from leaderboard.models import Submission
from leaderboard.selectors.clips import Corpus


def clip_links(system: Submission, corpus: Corpus) -> tuple[str, ...]:
    """Give the address of each clip's page under a system."""
    base = reverse("leaderboard:clip", args=[system.public_id, 1]).removesuffix("1/")
    return tuple(f"{base}{number}/" for number in range(1, len(corpus) + 1))
