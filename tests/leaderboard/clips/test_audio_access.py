"""Who may hear a clip: as who may see it, and who labels it; to all others there is none."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Item
from annotation.services.formats.sources import reference_tasks
from annotation.services.projects import Task, items_add, member_add
from leaderboard.models import Challenge, ReferenceSet, User
from leaderboard.services.clips.audio import audio_add, audio_base_url_set
from tests.annotation.conftest import make_project
from tests.factories import NOW, PhaseFactory, UserFactory, submit
from tests.leaderboard.conftest import Cast
from tests.sounds import wav, zipped


def give_sound(cast: Cast, folder: Path) -> str:
    """Store a sound for the first clip; returns its address."""
    path = zipped({"rain.wav": wav()}, folder / "a.zip")
    audio_add(phase=cast.phase, path=path, actor=None, now=NOW)
    return f"/audio/{cast.phase.reference_set_id}/1/"


@pytest.fixture
def address(cast: Cast, tmp_path: Path) -> str:
    return give_sound(cast, tmp_path)


def status(cast: Cast, user: User | None, address: str) -> int:
    return cast.client(user).get(address).status_code


def everyone(cast: Cast, address: str) -> list[int]:
    people = (None, cast.outsider, cast.member, cast.organiser)
    return [status(cast, user, address) for user in people]


HIDDEN = [404, 404, 404, 200]


def test_clips_are_heard_by_who_may_see_them(cast: Cast, address: str) -> None:
    assert everyone(cast, address) == [200, 200, 200, 200]
    cast.rules(opens_at=timezone.now() + timedelta(days=1))
    assert everyone(cast, address) == HIDDEN, "nothing before the phase begins"
    cast.rules(opens_at=None)
    Challenge.objects.update(published=False)
    assert everyone(cast, address) == HIDDEN
    Challenge.objects.update(published=True)
    cast.rules(references_public=False)
    assert everyone(cast, address) == HIDDEN
    url = "https://sounds.example.org"
    audio_base_url_set(phase=cast.phase, url=url, actor=cast.organiser, now=NOW)
    elsewhere = f"{address.removesuffix('1/')}2/"
    assert everyone(cast, elsewhere) == [404, 404, 404, 302], "nor is told where it lies"
    PhaseFactory.create(reference_set=cast.phase.reference_set, references_public=True)
    assert everyone(cast, address) == [200, 200, 200, 200], "public in one phase is public"


def test_clips_without_sound_are_not_found(cast: Cast, address: str) -> None:
    stored = cast.phase.reference_set_id
    for path in (f"{stored}/2", f"{stored}/0", f"{stored}/99999", "99999/1", f"{10**30}/1"):
        assert status(cast, cast.organiser, f"/audio/{path}/") == 404


def test_who_labels_a_clip_hears_it(cast: Cast, address: str) -> None:
    cast.rules(references_public=False)
    project = make_project(texts=())
    items_add(project=project, tasks=reference_tasks(cast.phase, one_each=True))
    labels, other = UserFactory.create_batch(2)
    member_add(project=project, user=labels)
    assert status(cast, labels, address) == 200
    assert status(cast, other, address) == 404
    client = cast.client(labels)
    api = f"/api/v1/labelling/{project.slug}/tasks"
    tasks = client.post(api, {"count": 6}, content_type="application/json").json()["tasks"]
    told = {task["text"]: task["meta"].get("audio") for task in tasks}
    assert told["Rain falls on a tin roof."] == address
    assert told["A dog barks twice in a yard."] is None


def test_a_file_cannot_open_the_sound_of_hidden_clips(cast: Cast, address: str) -> None:
    cast.rules(references_public=False)
    meta = {"audio": address, "reference_set": cast.phase.reference_set_id, "clip": 0}
    project = make_project(texts=())
    items_add(project=project, tasks=[Task("A caption", meta=meta, extra=meta)])
    member_add(project=project, user=cast.outsider)
    assert Item.objects.filter(project=project).exists()
    assert status(cast, cast.outsider, address) == 404


def test_the_page_of_a_clip_plays_it(cast: Cast, address: str) -> None:
    submission = submit(cast.phase, cast.team)
    client = cast.client(cast.member)
    with_sound = client.get(reverse("leaderboard:clip", args=[submission.public_id, 1]))
    assert f'<audio class="clip__sound" controls preload="none" src="{address}"' in (
        with_sound.content.decode()
    )
    api = f"/api/v1/submissions/{submission.public_id}/clips"
    assert client.get(f"{api}/rain.wav").json()["audio"] == address
    assert client.get(f"{api}/dog.wav").json()["audio"] is None
    without = client.get(reverse("leaderboard:clip", args=[submission.public_id, 2]))
    assert "<audio" not in without.content.decode()
    assert "media-src 'self';" in with_sound["Content-Security-Policy"] + ";"


def test_sound_elsewhere_is_allowed_on_the_pages_that_play_it_and_no_others(cast: Cast) -> None:
    url = "https://sounds.example.org/clotho"
    audio_base_url_set(phase=cast.phase, url=url, actor=cast.organiser, now=NOW)
    submission, project = submit(cast.phase, cast.team), make_project(texts=())
    items_add(project=project, tasks=reference_tasks(cast.phase, one_each=True))
    member_add(project=project, user=cast.member)
    client = cast.client(cast.member)
    for address in (
        reverse("leaderboard:clip", args=[submission.public_id, 5]),
        reverse("annotation:label", args=[project.slug]),
    ):
        policy = client.get(address)["Content-Security-Policy"]
        assert "media-src 'self' https://sounds.example.org" in policy
    listing = client.get(reverse("leaderboard:clips", args=[submission.public_id]))
    assert "sounds.example.org" not in listing["Content-Security-Policy"]
    sent = client.get(f"/audio/{cast.phase.reference_set_id}/5/")
    assert sent["Location"] == f"{url}/bell%2C%20small.wav"


CARD = {
    "open": {"name": "Kept", "part": "", "clips": 3, "captions": 6, "licences": [], "stages": []},
    "hidden": {"name": "Kept", "part": "", "clips": 3, "licences": [], "hidden": True},
}


def page(cast: Cast, who: str | None = None) -> Any:
    client = Client()
    if who is not None:
        client.force_login(getattr(cast, who))
    phase = cast.phase
    return client.get(f"/c/{phase.challenge.slug}/{phase.slug}/references/")


def test_public_references_are_described_beside_published_ones(cast: Cast) -> None:
    cast.rules(references_public=True)
    html = page(cast).content.decode()
    assert "AudioCaps, training" in html
    assert 'id="vocabulary-growth-data"' in html
    assert "Data card" not in html, "they came from a file"
    cast.rules(opens_at=timezone.now() + timedelta(days=1))
    assert "AudioCaps" not in page(cast).content.decode(), "not before the phase opens"
    cast.rules(reference_set=None)
    assert page(cast, "organiser").status_code == 404


def test_hidden_references_show_their_card_alone_and_all_to_organisers(cast: Cast) -> None:
    cast.rules(references_public=False)
    assert "There is no data card for them." in page(cast).content.decode()
    ReferenceSet.objects.update(card=CARD)
    html = page(cast, "member").content.decode()
    assert "Data card: Kept" in html
    assert "AudioCaps" not in html
    assert "AudioCaps" in page(cast, "organiser").content.decode()
