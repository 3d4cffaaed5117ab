"""Images of a challenge: adding, choosing the logo, deleting."""

from datetime import datetime
from hashlib import sha256
from pathlib import PurePath
from typing import IO

from django.db import transaction
from django.utils.text import slugify

from leaderboard.models import Challenge, ChallengeImage, User
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.image_encoding import encoded_image
from leaderboard.web.refusals import Refused

MOST_IMAGES = 40


def image_add(
    *, challenge: Challenge, file: IO[bytes], file_name: str, actor: User, now: datetime
) -> ChallengeImage:
    """Store an image under a name made of its file's; the same name again replaces the image."""
    encoded = encoded_image(file)
    name = slugify(PurePath(file_name).stem)[:60].strip("-_") or "image"
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
        others = locked.images.exclude(name=name)
        if others.count() >= MOST_IMAGES:
            raise Refused(
                f"A challenge has at most {MOST_IMAGES} images. Delete one that is not used.",
                field="file",
            )
        image, created = ChallengeImage.objects.update_or_create(
            challenge=locked,
            name=name,
            defaults={
                "content": encoded.content,
                "sha256": sha256(encoded.content).hexdigest(),
                "width": encoded.width,
                "height": encoded.height,
                "uploaded_by": actor,
                "uploaded_at": now,
            },
        )
        _audit(image, "image.add" if created else "image.replace", actor, now)
    return image


@transaction.atomic
def logo_choose(*, image: ChallengeImage, chosen: bool, actor: User, now: datetime) -> None:
    """Make an image the logo of its challenge in place of any other, or let it be the logo no more.

    An image that is the logo can still stand in the text.
    """
    Challenge.objects.select_for_update().get(pk=image.challenge_id)
    if chosen:
        image.challenge.images.exclude(pk=image.pk).update(is_logo=False)
    if ChallengeImage.objects.filter(pk=image.pk).exclude(is_logo=chosen).update(is_logo=chosen):
        _audit(image, "image.logo" if chosen else "image.no_logo", actor, now)


@transaction.atomic
def image_delete(*, image: ChallengeImage, actor: User, now: datetime) -> None:
    """Delete an image; where a text names it, its description stands there instead."""
    _audit(image, "image.delete", actor, now)
    image.delete()


def _audit(image: ChallengeImage, action: str, actor: User, now: datetime) -> None:
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=image,
        challenge=image.challenge,
        sha256=image.sha256,
    )
