"""Addresses of the pages of clips, many at once."""

from django.urls import reverse

from leaderboard.models import Submission
from leaderboard.selectors.clips import Corpus


def clip_links(
    system: Submission, corpus: Corpus, *, beside: Submission | None = None
) -> tuple[str, ...]:
    """Give the address of each clip's page under a system, another one beside it."""
    base = reverse("leaderboard:clip", args=[system.public_id, 1]).removesuffix("1/")
    query = "" if beside is None else f"?with={beside.public_id}"
    return tuple(f"{base}{number}/{query}" for number in range(1, len(corpus) + 1))
