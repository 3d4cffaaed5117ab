"""Images of a challenge, as its pages show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse

from leaderboard.models import Challenge


@dataclass(frozen=True, slots=True)
class ShownImage:
    """Where an image lies, and its size in pixels."""

    address: str
    width: int
    height: int
    is_logo: bool


@dataclass(frozen=True, slots=True)
class ChallengeImages:
    """The images of a challenge: for its text by their names, and its logo."""

    by_name: Mapping[str, ShownImage]
    logo: ShownImage | None


def images_of(challenge: Challenge) -> ChallengeImages:
    """All images of a challenge, in one query that reads none of their bytes."""
    rows = challenge.images.defer("content").order_by("name")
    by_name = {}
    for image in rows:
        address = reverse("leaderboard:challenge-image", args=[challenge.slug, image.sha256[:16]])
        by_name[image.name] = ShownImage(address, image.width, image.height, image.is_logo)
    logos = (image for image in by_name.values() if image.is_logo)
    return ChallengeImages(by_name, next(logos, None))
