"""Images and announcements of a challenge: shown to all who see it, and corrected openly."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from PIL import Image, PngImagePlugin

from leaderboard.models import Announcement, AuditEvent, Challenge, ChallengeImage
from leaderboard.services.organising import image_encoding, images
from leaderboard.services.organising.announcements import WRITTEN, announcement_create
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.image_encoding import encoded_image
from leaderboard.services.organising.images import image_add
from tests.factories import ChallengeFactory
from tests.leaderboard.api_client import body, caller
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

SECRET = b"52.5 N 13.4 E"


def drawing(kind: str = "PNG", size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    output = BytesIO()
    Image.new(mode, size, "red").save(output, kind)
    return output.getvalue()


def photograph() -> bytes:
    """A picture 60 wide and 40 high of a camera that was held upright, with words behind it."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turn right
    exif[0x010E] = SECRET.decode()
    output = BytesIO()
    Image.new("RGB", (60, 40), "blue").save(output, "JPEG", exif=exif.tobytes())
    return output.getvalue() + b"<script>alert(1)</script>" + SECRET


def page(challenge: Challenge, *names: str) -> str:
    kind = f"text-{names[1]}" if len(names) > 1 else "text-images"
    return reverse(f"leaderboard:manage-{kind}", args=[challenge.slug, *names[:1]])


def upload(cast: Cast, content: bytes, name: str = "Set up.png") -> object:
    file = SimpleUploadedFile(name, content)
    return cast.client(cast.organiser).post(page(cast.phase.challenge), {"file": file})


def shown(cast: Cast) -> str:
    return cast.client(None).get(f"/c/{cast.phase.challenge.slug}/").content.decode()


def test_an_image_stands_where_the_text_names_it(cast: Cast) -> None:
    upload(cast, drawing())
    image = ChallengeImage.objects.get()
    assert (image.name, image.width, image.height) == ("set-up", 60, 40)
    Challenge.objects.update(description='Look: ![Two "microphones" & <a> door](set-up)')
    address = f"/c/{cast.phase.challenge.slug}/images/{image.sha256[:16]}.webp"
    assert (
        f'<img src="{address}" alt="Two &quot;microphones&quot; &amp; &lt;a&gt; door" '
        'width="60" height="40" loading="lazy">'
    ) in shown(cast)
    visitor = cast.client(None)
    sent = visitor.get(address)
    assert (sent.status_code, sent["Content-Type"]) == (200, "image/webp")
    with Image.open(BytesIO(sent.content)) as opened:
        assert (opened.format, opened.size) == ("WEBP", (60, 40))
    again = visitor.get(address, headers={"If-None-Match": sent["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "source",
    ["none", "https://example.org/a.png", "//example.org/a.png", "data:image/png;base64,x"],
)
def test_of_any_other_image_the_description_is_shown(cast: Cast, source: str) -> None:
    Challenge.objects.update(description=f"![A <b>door</b>]({source})")
    seen = shown(cast)
    assert "A &lt;b&gt;door&lt;/b&gt;" in seen
    assert "<img" not in seen


def test_announcements_and_previews_show_images_too(cast: Cast) -> None:
    upload(cast, drawing())
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    written = "![The room](set-up)"
    preview = client.post(
        reverse("leaderboard:manage-text-preview", args=[challenge.slug]), {"body": written}
    )
    assert 'alt="The room"' in preview.content.decode()
    announcements = reverse("leaderboard:manage-announcements", args=[challenge.slug])
    news = {"title": "News", "body": written}
    assert (
        'alt="The room"' in client.post(announcements, {**news, "preview": "yes"}).content.decode()
    )
    assert client.post(announcements, news).status_code == 302
    assert 'alt="The room"' in shown(cast)


def test_nothing_of_a_photograph_is_kept_but_what_it_shows() -> None:
    encoded = encoded_image(BytesIO(photograph()))
    assert (encoded.width, encoded.height) == (40, 60)  # turned as its camera was held
    assert SECRET not in encoded.content
    assert b"script" not in encoded.content
    with Image.open(BytesIO(encoded.content)) as opened:
        assert not opened.getexif()


def test_what_is_transparent_stays_so_and_what_is_large_becomes_smaller() -> None:
    clear = Image.new("RGBA", (4000, 1000), (255, 0, 0, 0))
    output = BytesIO()
    clear.save(output, "PNG")
    encoded = encoded_image(BytesIO(output.getvalue()))
    assert (encoded.width, encoded.height) == (image_encoding.MOST_WIDTH, 400)
    with Image.open(BytesIO(encoded.content)) as opened:
        assert opened.mode == "RGBA"
        assert opened.getpixel((5, 5))[3] == 0  # type: ignore[index]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_formats_that_browsers_show_are_taken(kind: str) -> None:
    mode = "P" if kind == "GIF" else "RGB"
    assert encoded_image(BytesIO(drawing(kind, mode=mode))).width == 60


def bomb() -> bytes:
    """A small file that claims, and has, far more pixels than are taken."""
    output = BytesIO()
    Image.new("1", (30_000, 30_000)).save(output, "PNG")
    return output.getvalue()


def with_much_text() -> bytes:
    """A PNG whose compressed comment becomes 100 MB."""
    notes = PngImagePlugin.PngInfo()
    notes.add_text("x", "a" * 100_000_000, zip=True)
    output = BytesIO()
    Image.new("RGB", (2, 2)).save(output, "PNG", pnginfo=notes)
    return output.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "no image"),
        (drawing("BMP"), "no image"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "image"),
        (drawing("JPEG", (300, 300))[:-200], "damaged"),
        (drawing(size=(300, 300))[:-30], "damaged"),
        (bomb, "more than 16 million pixels"),
        (with_much_text, "damaged"),
    ],
    ids=["nothing", "svg", "bmp", "no pixels", "cut jpeg", "cut png", "bomb", "comment"],
)
def test_what_is_no_good_image_is_refused_with_words(
    cast: Cast, content: bytes | Callable[[], bytes], reason: str
) -> None:
    response = upload(cast, content if isinstance(content, bytes) else content())
    assert response.status_code == 422  # type: ignore[attr-defined]
    assert reason in text(response.content)  # type: ignore[attr-defined]
    assert not ChallengeImage.objects.exists()


def test_a_file_that_is_too_large_is_refused(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.forms.images.MOST_BYTES", 100)
    response = upload(cast, drawing(size=(300, 300)) + b"x" * 200)
    assert response.status_code == 422  # type: ignore[attr-defined]
    assert "larger than the limit" in text(response.content)  # type: ignore[attr-defined]


def test_the_same_name_replaces_and_changes_the_address(cast: Cast) -> None:
    upload(cast, drawing())
    first = ChallengeImage.objects.get().sha256
    upload(cast, drawing(size=(50, 50)), "set-up.jpeg")
    image = ChallengeImage.objects.get()
    assert (image.name, image.width) == ("set-up", 50)
    assert image.sha256 != first
    actions = AuditEvent.objects.filter(action__startswith="image.").order_by("pk")
    assert [event.action for event in actions] == ["image.add", "image.replace"]


def test_a_challenge_has_a_bounded_number(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_IMAGES", 1)
    upload(cast, drawing())
    response = upload(cast, drawing(), "other.png")
    assert "at most 1 images" in text(response.content)  # type: ignore[attr-defined]
    assert upload(cast, drawing()).status_code == 302  # type: ignore[attr-defined]


def test_one_image_is_the_logo_until_another_is(cast: Cast) -> None:
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    for name in ("first.png", "second.png"):
        upload(cast, drawing(size=(10, len(name))), name)
    assert "page-head__logo" not in shown(cast)
    for name in ("first", "second"):
        client.post(page(challenge, name, "image-logo"), {"logo": "yes"})
        assert [image.name for image in ChallengeImage.objects.filter(is_logo=True)] == [name]
    logo = ChallengeImage.objects.get(name="second")
    assert f'class="page-head__logo" src="/c/{challenge.slug}/images/{logo.sha256[:16]}' in shown(
        cast
    )
    client.post(page(challenge, "second", "image-logo"), {"logo": "no"})
    assert "page-head__logo" not in shown(cast)


def test_deleted_it_leaves_its_description(cast: Cast) -> None:
    upload(cast, drawing())
    Challenge.objects.update(description="![The room](set-up)")
    cast.client(cast.organiser).post(page(cast.phase.challenge, "set-up", "image-delete"))
    assert not ChallengeImage.objects.exists()
    assert "<p>The room</p>" in shown(cast)


def test_images_of_what_is_not_published_are_for_organisers(cast: Cast) -> None:
    upload(cast, drawing())
    Challenge.objects.update(published=False)
    image = ChallengeImage.objects.get()
    address = f"/c/{cast.phase.challenge.slug}/images/{image.sha256[:16]}.webp"
    assert cast.client(cast.outsider).get(address).status_code == 404
    assert cast.client(cast.organiser).get(address).status_code == 200


def test_another_challenge_does_not_lend_its_images(cast: Cast) -> None:
    other = ChallengeFactory.create()
    image_add(
        challenge=other,
        file=BytesIO(drawing()),
        file_name="theirs.png",
        actor=cast.organiser,
        now=timezone.now(),
    )
    Challenge.objects.filter(pk=cast.phase.challenge_id).update(description="![X](theirs)")
    assert "<img" not in shown(cast)
    sha256 = ChallengeImage.objects.get().sha256[:16]
    address = f"/c/{cast.phase.challenge.slug}/images/{sha256}.webp"
    assert cast.client(None).get(address).status_code == 404


HOSTILE = "Now *open*. <script>alert(1)</script> [x](javascript:alert(1))"


def page_news(cast: Cast, name: str = "announcements", *args: int) -> str:
    return reverse(f"leaderboard:manage-{name}", args=[cast.phase.challenge.slug, *args])


@pytest.fixture
def told(cast: Cast) -> Announcement:
    return announcement_create(
        challenge=cast.phase.challenge,
        title="Deadline",
        body="On Friday.",
        actor=cast.organiser,
        now=timezone.now() - timedelta(days=1),
    )


def test_what_is_announced_stands_on_the_page_and_in_the_api_latest_first(
    cast: Cast, told: Announcement
) -> None:
    form = {"title": "<b>Open</b>", "body": HOSTILE}
    assert cast.client(cast.organiser).post(page_news(cast), form).status_code == 302
    public = cast.client(None).get(f"/c/{cast.phase.challenge.slug}/")
    seen = text(public.content)
    assert seen.index("<b>Open</b>") < seen.index("Deadline")
    content = public.content.decode()
    assert "<em>open</em>" in content
    assert "<script>alert" not in content
    assert 'href="javascript' not in content
    found = body(caller(None).get(f"/challenges/{cast.phase.challenge.slug}"))
    assert [row["title"] for row in found["announcements"]] == ["<b>Open</b>", "Deadline"]
    assert found["announcements"][0]["body"] == HOSTILE
    assert found["announcements"][1]["edited_at"] is None
    events = AuditEvent.objects.filter(challenge=cast.phase.challenge)
    assert events.filter(action="announcement.create").count() == 2


def test_a_preview_tells_nobody(cast: Cast) -> None:
    form = {"title": "T", "body": HOSTILE, "preview": "yes"}
    response = cast.client(cast.organiser).post(page_news(cast), form)
    assert response.status_code == 200
    assert "<em>open</em>" in response.content.decode()
    assert not Announcement.objects.exists()


def test_a_correction_shows_when_and_the_log_what_it_said_before(
    cast: Cast, told: Announcement
) -> None:
    form = {"title": "Deadline", "body": "On Monday.", "version": version_of(told, WRITTEN)}
    address = page_news(cast, "announcement", told.pk)
    assert cast.client(cast.organiser).post(address, form).status_code == 302
    assert "corrected" in text(cast.client(None).get(f"/c/{cast.phase.challenge.slug}/").content)
    event = AuditEvent.objects.get(action="announcement.change")
    assert event.details == {"before": {"body": "On Friday."}, "after": {"body": "On Monday."}}


def test_who_saves_later_is_told_and_loses_nothing(cast: Cast, told: Announcement) -> None:
    version = version_of(told, WRITTEN)
    address, client = page_news(cast, "announcement", told.pk), cast.client(cast.organiser)
    client.post(address, {"title": "Theirs", "body": "", "version": version})
    response = client.post(address, {"title": "Mine", "body": "Kept", "version": version})
    assert response.status_code == 422
    assert "saved in the meantime" in text(response.content)
    assert response.context["form"]["title"].value() == "Mine"
    told.refresh_from_db()
    assert told.title == "Theirs"


def test_deleted_it_is_gone_but_not_from_the_log(cast: Cast, told: Announcement) -> None:
    cast.client(cast.organiser).post(page_news(cast, "announcement-delete", told.pk))
    assert not Announcement.objects.exists()
    event = AuditEvent.objects.get(action="announcement.delete")
    assert event.details["before"] == {"title": "Deadline", "body": "On Friday."}
