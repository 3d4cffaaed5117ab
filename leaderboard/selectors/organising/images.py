"""Images of a challenge, as its pages show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from leaderboard.models import Challenge, ChallengeImage


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
    by_name = {image.name: _shown(image, challenge) for image in image_rows(challenge)}
    logos = (image for image in by_name.values() if image.is_logo)
    return ChallengeImages(by_name, next(logos, None))


def image_rows(challenge: Challenge) -> QuerySet[ChallengeImage]:
    """The rows of a challenge's images without their bytes, by name."""
    return challenge.images.defer("content").order_by("name")


def _shown(image: ChallengeImage, challenge: Challenge) -> ShownImage:
    address = reverse("leaderboard:challenge-image", args=[challenge.slug, image.sha256[:16]])
    return ShownImage(address, image.width, image.height, image.is_logo)
