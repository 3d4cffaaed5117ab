"""References are looked at before a phase uses them, and stay once systems were scored."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.models import (
    AuditEvent,
    Evaluation,
    Kind,
    Phase,
    ReferenceSet,
    StagedReferences,
    User,
)
from tests.factories import PhaseFactory, UserFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

FILE = b"""file_name,caption_1,caption_2,caption_3
rain.wav,Rain falls.,It rains hard.,
dog.wav,A dog barks.,A dog is barking.,<b>Woof</b> says a dog.
owl.wav,An owl hoots.,,
"""


@pytest.fixture
def phase(cast: Cast) -> Phase:
    return PhaseFactory.create(
        challenge=cast.phase.challenge, reference_set=None, references_public=False
    )


def page(phase: Phase, name: str = "references") -> str:
    return reverse(f"leaderboard:manage-{name}", args=[phase.challenge.slug, phase.slug])


def upload(cast: Cast, phase: Phase, data: bytes = FILE, *, who: User | None = None) -> Any:
    file = SimpleUploadedFile("spring.csv", data)
    return cast.client(who or cast.organiser).post(page(phase), {"file": file, "name": ""})


def use(cast: Cast, phase: Phase, **form: str) -> Any:
    sent = {"act": "use", "content_hash": shown(cast, phase), **form}
    return cast.client(cast.organiser).post(page(phase), sent)


def shown(cast: Cast, phase: Phase) -> str:
    """The mark of the file that the page shows."""
    response = cast.client(cast.organiser).get(page(phase))
    return response.context["use_form"].initial["content_hash"]


def test_a_file_is_shown_and_nothing_changes_before_it_is_used(cast: Cast, phase: Phase) -> None:
    sets = ReferenceSet.objects.count()
    assert upload(cast, phase).status_code == 302
    # Another browser of the same person, as it were another process.
    response = cast.client(cast.organiser).get(page(phase))
    seen = text(response.content)
    assert "spring.csv, not used yet" in seen
    assert "Clips 3" in seen
    assert "Captions 6" in seen
    assert "1 to 3, median 2" in seen
    assert "<b>Woof</b> says a dog." in seen
    assert "The clip has only one reference." in seen
    phase.refresh_from_db()
    assert phase.reference_set is None
    assert ReferenceSet.objects.count() == sets
    assert not AuditEvent.objects.filter(action="phase.references").exists()


def test_used_they_are_those_of_the_phase_and_the_human_row_waits(
    cast: Cast, phase: Phase, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    upload(cast, phase)
    with django_capture_on_commit_callbacks() as sent:
        use(cast, phase, human_row="on")
    phase.refresh_from_db()
    assert phase.reference_set is not None
    assert (phase.reference_set.name, phase.reference_set.clip_count) == ("spring", 3)
    human = phase.submissions.get()
    assert human.kind == Kind.HUMAN
    assert Evaluation.objects.filter(submission=human).exists()
    assert sent
    event = AuditEvent.objects.get(action="phase.references")
    assert (event.actor, event.challenge) == (cast.organiser, phase.challenge)
    assert not StagedReferences.objects.exists()
    # Without submissions they are replaced together with their human row.
    upload(cast, phase, FILE + b"bee.wav,A bee hums.,It hums.,\n")
    use(cast, phase, human_row="on")
    assert phase.submissions.get().pk != human.pk


def test_there_need_be_no_human_row(cast: Cast, phase: Phase) -> None:
    """Where nobody asks for it, and where every clip has only one reference."""
    for data, form in ((FILE, {}), (b"file_name,caption_1\nrain.wav,Rain.\n", {"human_row": "on"})):
        upload(cast, phase, data)
        use(cast, phase, **form)
        assert cast.client(cast.organiser).get(page(phase)).status_code == 200
        phase.refresh_from_db()
        assert phase.reference_set is not None
        assert not phase.submissions.exists()


def test_every_fault_is_told_with_its_line_and_nothing_is_stored(
    cast: Cast, phase: Phase, settings: Settings
) -> None:
    """References may be larger than captions, and what is too large is dropped as it comes."""
    settings.MAX_UPLOAD_BYTES = 50
    settings.MAX_REFERENCES_BYTES = 2_000
    faulty = FILE + b"rain.wav,Something else.,,\n,No name.,,\n"
    for data, told in (
        (faulty, "2 errors in spring.csv"),
        (faulty, "line 5"),
        (faulty, "already in line 2 with other references"),
        (faulty, "The file name is empty."),
        (FILE + b"x" * 200_000, "larger than the limit of 0.002 MB"),
    ):
        response = upload(cast, phase, data)
        assert response.status_code == 422
        assert told in text(response.content)
    assert not StagedReferences.objects.exists()
    assert upload(cast, phase).status_code == 302


def test_only_what_one_looked_at_oneself_is_used(cast: Cast, phase: Phase) -> None:
    other, address = UserFactory.create(), page(phase)
    phase.challenge.organisers.add(other)
    upload(cast, phase)
    old = {"act": "use", "content_hash": shown(cast, phase)}
    assert "not used yet" not in text(cast.client(other).get(page(phase)).content)
    cast.client(other).post(address, old)
    upload(cast, phase, FILE + b"bee.wav,A bee hums.,It hums.,\n")
    response = cast.client(cast.organiser).post(address, old, follow=True)
    assert "The file is no longer there" in response.content.decode()
    use(cast, phase, act="discard")
    phase.refresh_from_db()
    assert phase.reference_set is None
    assert not StagedReferences.objects.exists()


def test_once_systems_were_submitted_references_stay(cast: Cast) -> None:
    client, before = cast.client(cast.organiser), cast.phase.reference_set_id
    upload(cast, cast.phase)
    mark = {"act": "use", "content_hash": shown(cast, cast.phase)}
    submit(cast.phase, cast.team)
    client.post(page(cast.phase), mark)
    assert upload(cast, cast.phase).status_code == 409
    page_now = client.get(page(cast.phase))
    assert "so they stay" in text(page_now.content)
    assert b'type="file"' not in page_now.content
    cast.phase.refresh_from_db()
    assert cast.phase.reference_set_id == before


def test_the_same_captions_in_another_challenge_open_and_lock_nothing(cast: Cast) -> None:
    """Who publishes captions that others hide hears and changes nothing of theirs."""
    hidden = PhaseFactory.create(challenge=cast.phase.challenge, reference_set=None)
    Phase.objects.update(references_public=False)
    upload(cast, hidden)
    use(cast, hidden)
    elsewhere = {"act": "address", "address": "https://hidden.example.org"}
    cast.client(cast.organiser).post(page(hidden, "audio"), elsewhere)
    theirs = PhaseFactory.create(reference_set=None)
    theirs.challenge.organisers.add(cast.outsider)
    upload(cast, theirs, who=cast.outsider)
    client = cast.client(cast.outsider)
    looked = client.get(page(theirs))
    assert "The same content" not in text(looked.content)
    seen = looked.context["use_form"].initial["content_hash"]
    client.post(page(theirs), {"act": "use", "content_hash": seen})
    for phase in (hidden, theirs):
        phase.refresh_from_db()
    assert theirs.reference_set is not None
    sound = reverse("leaderboard:audio", args=[hidden.reference_set_id, 1])
    assert client.get(sound).status_code == 404
    client.post(page(theirs, "audio"), elsewhere | {"address": "https://theirs.example.org"})
    response = cast.client(cast.organiser).get(sound)
    assert response["Location"] == "https://hidden.example.org/rain.wav"


SHOWN = "Everyone can read 6 of 6 hidden captions in {}; 3 clips of the same file name."


def test_captions_public_elsewhere_are_used_once_confirmed(cast: Cast, phase: Phase) -> None:
    public = PhaseFactory.create(challenge=phase.challenge, reference_set=None)
    upload(cast, public)
    use(cast, public)
    # The rows in another order are other content, but the same captions.
    upload(cast, phase, b"".join([FILE.splitlines(True)[0], *FILE.splitlines(True)[:0:-1]]))
    client = cast.client(cast.organiser)
    assert SHOWN.format(public) in text(client.get(page(phase)).content)
    mark = {"act": "use", "content_hash": shown(cast, phase)}
    refused = client.post(page(phase), mark, follow=True)
    assert "none of them would stay hidden" in refused.content.decode()
    phase.refresh_from_db()
    assert phase.reference_set is None
    client.post(page(phase), mark | {"confirmed": "on"})
    phase.refresh_from_db()
    assert phase.reference_set is not None
    overview = reverse("leaderboard:manage-overview", args=[phase.challenge.slug])
    assert SHOWN.format(public) in text(client.get(overview).content)


def test_some_captions_in_common_are_counted_and_refuse_nothing(cast: Cast, phase: Phase) -> None:
    upload(cast, phase)
    use(cast, phase)
    part = PhaseFactory.create(challenge=phase.challenge, reference_set=None)
    upload(cast, part, FILE.replace(b"rain", b"snow").replace(b"A dog barks", b"A dog yaps"))
    said = text(cast.client(cast.organiser).get(page(part)).content)
    assert f"Here everyone can read 4 of 6 captions that {phase} hides; 2 clips" in said
    use(cast, part)
    part.refresh_from_db()
    assert part.reference_set is not None


def test_opening_what_another_phase_hides_is_asked_twice(cast: Cast, phase: Phase) -> None:
    twin = PhaseFactory.create(
        challenge=phase.challenge, reference_set=None, references_public=False
    )
    for one in (phase, twin):
        upload(cast, one)
        seen = text(cast.client(cast.organiser).get(page(one)).content)
        assert (f"The same content is used by {phase}" in seen) is (one == twin)
        use(cast, one)
    address = reverse("leaderboard:manage-phase", args=[phase.challenge.slug, phase.slug])
    client = cast.client(cast.organiser)
    form = client.get(address).context["form"]
    values = {
        name: value for name in form.fields if (value := form[name].value()) not in (None, False)
    }
    response = client.post(address, values | {"references_public": "on"})
    assert f"Here everyone can read 6 of 6 captions that {twin} hides" in text(response.content)
    phase.refresh_from_db()
    assert not phase.references_public
    mark = response.context["confirmed"]
    client.post(address, values | {"references_public": "on", "confirmed": mark})
    phase.refresh_from_db()
    assert phase.references_public
