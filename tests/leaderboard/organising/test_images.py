"""Images and announcements of a challenge: shown to all who see it, and corrected openly."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from PIL import Image, PngImagePlugin

from leaderboard.models import Announcement, AuditEvent, Challenge, ChallengeImage
from leaderboard.services.organising import images
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.images import encoded_image, image_add
from leaderboard.services.people.announcements import WRITTEN, announcement_create
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


def send(cast: Cast, **data: object) -> Any:
    return cast.client(cast.organiser).post(cast.managed("text-images"), data)


def upload(cast: Cast, content: bytes, name: str = "Set up.png") -> Any:
    return send(cast, file=SimpleUploadedFile(name, content))


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


def test_announcements_and_previews_show_images_too(cast: Cast) -> None:
    upload(cast, drawing())
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    news = {"title": "News", "body": "![The room](set-up)"}
    address = reverse("leaderboard:manage-text-preview", args=[challenge.slug])
    for answer in (
        client.post(address, news),
        client.post(cast.managed("announcements"), {**news, "preview": "yes"}),
    ):
        assert 'alt="The room"' in answer.content.decode()
    assert not Announcement.objects.exists()
    assert client.post(cast.managed("announcements"), news).status_code == 302
    assert 'alt="The room"' in shown(cast)


def test_nothing_of_a_photograph_is_kept_but_what_it_shows() -> None:
    encoded = encoded_image(BytesIO(photograph()))
    assert (encoded.width, encoded.height) == (40, 60)  # turned as its camera was held
    assert SECRET not in encoded.content
    assert b"script" not in encoded.content
    with Image.open(BytesIO(encoded.content)) as opened:
        assert not opened.getexif()


def test_what_is_transparent_stays_so_and_what_is_large_becomes_smaller() -> None:
    for kind, mode in (("PNG", "RGB"), ("JPEG", "RGB"), ("WEBP", "RGB"), ("GIF", "P")):
        assert encoded_image(BytesIO(drawing(kind, mode=mode))).width == 60
    output = BytesIO()
    Image.new("RGBA", (4000, 1000), (255, 0, 0, 0)).save(output, "PNG")
    encoded = encoded_image(BytesIO(output.getvalue()))
    assert (encoded.width, encoded.height) == (images.MOST_WIDTH, 400)
    with Image.open(BytesIO(encoded.content)) as opened:
        assert opened.mode == "RGBA"
        assert opened.getpixel((5, 5))[3] == 0  # type: ignore[index]


def bomb() -> bytes:
    """A small file that claims, and has, more pixels than are taken."""
    output = BytesIO()
    Image.new("1", (5_000, 5_000)).save(output, "PNG")
    return output.getvalue()


def with_much_text() -> bytes:
    """A PNG whose compressed comment is far larger than the picture."""
    notes = PngImagePlugin.PngInfo()
    notes.add_text("x", "a" * 2_000_000, zip=True)
    output = BytesIO()
    Image.new("RGB", (2, 2)).save(output, "PNG", pnginfo=notes)
    return output.getvalue()


def test_no_bad_image_is_taken(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    for content, reason in (
        (b"", "no image"),
        (svg, "no image"),
        (drawing("BMP"), "no image"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "image"),
        (drawing("JPEG", (300, 300))[:-200], "damaged"),
        (drawing(size=(300, 300))[:-30], "damaged"),
        (bomb(), "more than 16 million pixels"),
        (with_much_text(), "damaged"),
    ):
        response = upload(cast, content)
        assert response.status_code == 422
        assert reason in text(response.content)
    monkeypatch.setattr("leaderboard.forms.challenges.MOST_BYTES", 100)
    response = upload(cast, drawing(size=(300, 300)) + b"x" * 200)
    assert response.status_code == 422
    assert "larger than the limit" in text(response.content)
    assert not ChallengeImage.objects.exists()


def test_the_same_name_replaces_and_there_is_a_bounded_number(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MOST_IMAGES", 1)
    upload(cast, drawing())
    first = ChallengeImage.objects.get().sha256
    assert "at most 1 images" in text(upload(cast, drawing(), "other.png").content)
    assert upload(cast, drawing(size=(50, 50)), "set-up.jpeg").status_code == 302
    image = ChallengeImage.objects.get()
    assert (image.name, image.width) == ("set-up", 50)
    assert image.sha256 != first, "its address is another one"
    actions = AuditEvent.objects.filter(action__startswith="image.").order_by("pk")
    assert [event.action for event in actions] == ["image.add", "image.replace"]


def test_one_image_is_the_logo_until_another_is(cast: Cast) -> None:
    challenge = cast.phase.challenge
    for name in ("first.png", "second.png"):
        upload(cast, drawing(size=(10, len(name))), name)
    assert "page-head__logo" not in shown(cast)
    for name in ("first", "second"):
        send(cast, act="logo", image=name, logo="yes")
        assert [image.name for image in ChallengeImage.objects.filter(is_logo=True)] == [name]
    logo = ChallengeImage.objects.get(name="second")
    assert f'class="page-head__logo" src="/c/{challenge.slug}/images/{logo.sha256[:16]}' in shown(
        cast
    )
    send(cast, act="logo", image="second", logo="no")
    assert "page-head__logo" not in shown(cast)


def test_only_its_own_images_are_in_a_text_and_of_others_the_description(cast: Cast) -> None:
    upload(cast, drawing())
    other = ChallengeFactory.create()
    image_add(
        challenge=other,
        file=BytesIO(drawing(size=(9, 9))),
        file_name="theirs.png",
        actor=cast.organiser,
        now=timezone.now(),
    )
    challenge = cast.phase.challenge
    for source in (
        "none",
        "theirs",
        "https://example.org/a.png",
        "//example.org/a.png",
        "data:image/png;base64,x",
    ):
        Challenge.objects.filter(pk=challenge.pk).update(description=f"![A <b>door</b>]({source})")
        seen = shown(cast)
        assert "A &lt;b&gt;door&lt;/b&gt;" in seen
        assert "<img" not in seen
    own, theirs = (
        f"/c/{challenge.slug}/images/{image.sha256[:16]}.webp"
        for image in ChallengeImage.objects.order_by("pk")
    )
    assert cast.client(None).get(theirs).status_code == 404
    Challenge.objects.update(published=False)
    for user, status in ((cast.outsider, 404), (cast.organiser, 200)):
        assert cast.client(user).get(own).status_code == status
    Challenge.objects.update(published=True, description="![The room](set-up)")
    assert send(cast, act="delete", image="none").status_code == 404
    assert send(cast, act="delete", image="set-up").status_code == 302
    assert "<p>The room</p>" in shown(cast)


HOSTILE = "Now *open*. <script>alert(1)</script> [x](javascript:alert(1))"


@pytest.fixture
def told(cast: Cast) -> Announcement:
    return announcement_create(
        challenge=cast.phase.challenge,
        title="Deadline",
        body="On Friday.",
        actor=cast.organiser,
        now=timezone.now() - timedelta(days=1),
    )


def test_announcements_stand_on_the_page_and_in_the_api(cast: Cast, told: Announcement) -> None:
    form = {"title": "<b>Open</b>", "body": HOSTILE}
    assert cast.client(cast.organiser).post(cast.managed("announcements"), form).status_code == 302
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


def test_the_log_says_what_an_announcement_was(cast: Cast, told: Announcement) -> None:
    client = cast.client(cast.organiser)
    form = {"title": "Deadline", "body": "On Monday.", "version": version_of(told, WRITTEN)}
    assert client.post(cast.managed("announcement", told.pk), form).status_code == 302
    assert "corrected" in text(cast.client(None).get(f"/c/{cast.phase.challenge.slug}/").content)
    event = AuditEvent.objects.get(action="announcement.change")
    assert event.details == {"before": {"body": "On Friday."}, "after": {"body": "On Monday."}}
    client.post(cast.managed("announcement", told.pk), {"act": "delete"})
    assert not Announcement.objects.exists()
    event = AuditEvent.objects.get(action="announcement.delete")
    assert event.details["before"] == {"title": "Deadline", "body": "On Monday."}
