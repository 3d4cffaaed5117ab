"""Parts of a recording over HTTP: against a plain slice, whatever is asked for."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.models import AudioFile
from leaderboard.services.clips.audio import audio_add
from leaderboard.web.file_responses import ByteRange, Unsatisfiable, requested_range
from tests.factories import NOW, PhaseFactory
from tests.sounds import wav, zipped

SOUND = wav(0.02)
SIZE = len(SOUND)
sizes = st.integers(0, 300)


@given(sizes, st.integers(0, 400), st.none() | st.integers(0, 400))
def test_a_range_is_what_a_slice_gives(size: int, first: int, last: int | None) -> None:
    data = bytes(index % 251 for index in range(size))
    header = f"bytes={first}-{'' if last is None else last}"
    if last is not None and last < first:
        assert requested_range(header, size) is None
    elif first >= size:
        with pytest.raises(Unsatisfiable):
            requested_range(header, size)
    else:
        part = requested_range(header, size)
        assert part is not None
        wanted = data[first:] if last is None else data[first : last + 1]
        assert data[part.start : part.end] == wanted
        assert part.header == f"bytes {first}-{first + len(wanted) - 1}/{size}"


@given(sizes, st.integers(0, 400))
def test_a_tail_is_what_a_slice_gives(size: int, length: int) -> None:
    data = bytes(index % 251 for index in range(size))
    if not size or not length:
        with pytest.raises(Unsatisfiable):
            requested_range(f"bytes=-{length}", size)
    else:
        part = requested_range(f"bytes=-{length}", size)
        assert part is not None
        assert data[part.start : part.end] == data[-length:]


@given(st.text(max_size=40), sizes)
def test_no_header_breaks_it(header: str, size: int) -> None:
    for asked in (header, f"bytes={header}"):
        try:
            part = requested_range(asked, size)
        except Unsatisfiable:
            continue
        assert part is None or (isinstance(part, ByteRange) and 0 <= part.start < part.end <= size)


@pytest.fixture
def address(db: None, tmp_path: Path) -> str:
    phase = PhaseFactory.create()
    path = zipped({"rain.wav": SOUND}, tmp_path / "clips.zip")
    audio_add(phase=phase, path=path, actor=None, now=NOW)
    assert phase.reference_set is not None
    return f"/audio/{phase.reference_set.pk}/1/"


def get(address: str, **headers: str) -> Any:
    return Client().get(address, headers=headers)


def test_the_whole_comes_with_all_that_a_player_wants(address: str) -> None:
    response = get(address)
    assert response.status_code == 200
    assert response.getvalue() == SOUND
    told = {name: response[name] for name in ("Content-Length", "Content-Type", "Accept-Ranges")}
    assert told == {
        "Content-Length": str(SIZE),
        "Content-Type": "audio/wav",
        "Accept-Ranges": "bytes",
    }
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"].startswith("private")


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-", 206, slice(0, None)),
        ("bytes=0-0", 206, slice(0, 1)),
        ("bytes=10-19", 206, slice(10, 20)),
        ("bytes=-7", 206, slice(-7, None)),
        (f"bytes=0-{SIZE * 9}", 206, slice(0, None)),
        (f"bytes=-{SIZE * 9}", 206, slice(0, None)),
        ("Bytes = 3 - 5", 206, slice(3, 6)),
        (f"bytes={SIZE}-", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=5-4", 200, slice(0, None)),
        ("bytes=1-2,5-6", 200, slice(0, None)),
        ("bytes=" + "0-," * 5000, 200, slice(0, None)),
        ("items=0-5", 200, slice(0, None)),
        ("bytes=a-b", 200, slice(0, None)),
        ("bytes=\u0663-\u0665", 200, slice(0, None)),
        ("bytes=" + "9" * 5000 + "-", 416, None),
    ],
)
def test_what_is_asked_for_is_what_comes(
    address: str, asked: str, status: int, part: slice | None
) -> None:
    response = Client().get(address, HTTP_RANGE=asked)
    assert response.status_code == status
    if part is None:
        assert response["Content-Range"] == f"bytes */{SIZE}"
        assert response.getvalue() == b""
        return
    assert response.getvalue() == SOUND[part]
    assert response["Content-Length"] == str(len(SOUND[part]))
    assert response.has_header("Content-Range") == (status == 206)


def test_a_part_of_another_file_is_not_mixed_in(address: str) -> None:
    etag = get(address)["ETag"]
    same = get(address, **{"Range": "bytes=0-9", "If-Range": etag})
    assert (same.status_code, same.getvalue()) == (206, SOUND[:10])
    for other in ('"0"', f"W/{etag}", "Sat, 21 Nov 2026 12:00:00 GMT"):
        response = get(address, **{"Range": "bytes=0-9", "If-Range": other})
        assert (response.status_code, response.getvalue()) == (200, SOUND)


def test_what_the_browser_has_is_not_sent_again(address: str) -> None:
    etag = get(address)["ETag"]
    response = get(address, **{"If-None-Match": etag})
    assert (response.status_code, response.content) == (304, b"")
    assert response["ETag"] == etag


def test_head_tells_and_sends_nothing(address: str) -> None:
    response = Client().head(address, HTTP_RANGE="bytes=0-9")
    assert response.status_code == 200
    assert response["Content-Length"] == str(SIZE)
    assert response["Accept-Ranges"] == "bytes"
    assert response.content == b""


def test_a_server_in_front_can_send_it(address: str, settings: Any) -> None:
    sha256 = AudioFile.objects.get().sha256
    settings.AUDIO_SENDFILE = "x-accel-redirect:/recordings/"
    response = get(address, Range="bytes=0-9")
    assert response["X-Accel-Redirect"] == f"/recordings/{sha256[:2]}/{sha256}"
    assert (response.content, response["Content-Type"]) == (b"", "audio/wav")
    settings.AUDIO_SENDFILE = "x-sendfile"
    assert get(address)["X-Sendfile"].endswith(f"/{sha256[:2]}/{sha256}")


def test_a_file_that_is_gone_from_the_disk_is_not_found(address: str, settings: Any) -> None:
    sha256 = AudioFile.objects.get().sha256
    (Path(settings.AUDIO_DIR) / sha256[:2] / sha256).unlink()
    assert get(address).status_code == 404


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.integers(0, SIZE + 50), st.integers(0, SIZE + 50))
def test_over_http_a_part_is_a_slice(address: str, first: int, last: int) -> None:
    response = get(address, Range=f"bytes={first}-{last}")
    if last < first:
        assert (response.status_code, response.getvalue()) == (200, SOUND)
    elif first >= SIZE:
        assert response.status_code == 416
    else:
        assert (response.status_code, response.getvalue()) == (206, SOUND[first : last + 1])
