"""Images from anyone made harmless: decoded, bounded in size, and encoded anew."""

import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import IO

from PIL import Image, ImageOps, UnidentifiedImageError

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


@dataclass(frozen=True, slots=True)
class EncodedImage:
    """A WebP file and its size in pixels."""

    content: bytes
    width: int
    height: int


def encoded_image(file: IO[bytes]) -> EncodedImage:
    """Decode an image and encode it as WebP.

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
    return EncodedImage(content, drawn.width, drawn.height)


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
