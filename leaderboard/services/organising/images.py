"""Images of a challenge: made harmless and added, chosen as the logo, deleted."""

import warnings
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from pathlib import PurePath
from typing import IO

from django.db import transaction
from django.utils.text import slugify
from PIL import Image, ImageOps, UnidentifiedImageError

from leaderboard.models import Challenge, ChallengeImage, User
from leaderboard.services.audit_log import audit_record
from leaderboard.web.refusals import Refused

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MOST_BYTES = 5_000_000
# A phone's camera makes twelve million; each takes four bytes of memory, at most twice.
MOST_PIXELS = 16_000_000
# Twice the width of a column of text, for sharp screens.
MOST_WIDTH = 1600
MOST_HEIGHT = 2400
# Above it, drawings are compressed with loss as photographs are.
MOST_LOSSLESS = 300_000
_QUALITY = 82
_TOO_MANY = (
    f"The image has more than {MOST_PIXELS // 1_000_000} million pixels. Make it smaller and "
    "upload it again."
)


def encoded_image(file: IO[bytes]) -> ChallengeImage:
    """Decode an image and encode it as WebP: a row, not saved, with content and size in pixels.

    Of the file nothing is left but its pixels: neither the place where a photograph was taken nor
    anything that hides behind them. It is turned as its camera was held, moving images stand
    still, and what is larger than ``MOST_WIDTH`` x ``MOST_HEIGHT`` is made smaller. Refused
    where it is no image that can be taken.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd metadata, which is dropped
            with Image.open(file, formats=FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise Refused(_TOO_MANY, field="file")
                is_drawing = image.format in {"PNG", "GIF"} or image.mode == "P"
                drawn = _drawn(image)
    except Image.DecompressionBombError as error:
        raise Refused(_TOO_MANY, field="file") from error
    except UnidentifiedImageError as error:
        raise Refused(
            "The file is not an image of a kind that every browser shows. Save it as PNG, JPEG, "
            "WebP or GIF.",
            field="file",
        ) from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise Refused(
            "The image is damaged and cannot be read. Save it again and upload that file.",
            field="file",
        ) from error
    content = _webp(drawn, lossless=is_drawing)
    if is_drawing and len(content) > MOST_LOSSLESS:
        content = min(content, _webp(drawn, lossless=False), key=len)
    return ChallengeImage(content=content, width=drawn.width, height=drawn.height)


def _drawn(image: Image.Image) -> Image.Image:
    # Photographs are decoded no larger than they are needed.
    image.draft("RGB", (2 * MOST_WIDTH, 2 * MOST_HEIGHT))
    mode = "RGBA" if image.has_transparency_data else "RGB"
    if image.mode != mode:
        image = image.convert(mode)
    image.thumbnail((MOST_HEIGHT, MOST_HEIGHT), Image.Resampling.LANCZOS)
    turned = ImageOps.exif_transpose(image)
    turned.thumbnail((MOST_WIDTH, MOST_HEIGHT), Image.Resampling.LANCZOS)
    return turned


def _webp(image: Image.Image, *, lossless: bool) -> bytes:
    output = BytesIO()
    # A new image carries no profile, comment or position of the one that came.
    fresh = Image.new(image.mode, image.size)
    fresh.paste(image)
    fresh.save(output, "WEBP", lossless=lossless, quality=_QUALITY, method=4)
    return output.getvalue()


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
        act = "image.add" if created else "image.replace"
        audit_record(act, image, actor=actor, now=now, sha256=image.sha256)
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
        act = "image.logo" if chosen else "image.no_logo"
        audit_record(act, image, actor=actor, now=now, sha256=image.sha256)


@transaction.atomic
def image_delete(*, image: ChallengeImage, actor: User, now: datetime) -> None:
    """Delete an image; where a text names it, its description stands there instead."""
    audit_record("image.delete", image, actor=actor, now=now, sha256=image.sha256)
    image.delete()
