"""The submit page: who may, what is taken, what is refused and how that is told."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.forms.submissions import SubmissionForm
from leaderboard.models import Phase, StoredFile, Submission, Team
from tests.factories import CANDIDATES, REFERENCES, TeamFactory, join, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.packages.files import LABEL, METADATA, archive, package

FAULTY = CANDIDATES.replace(b"a dog is barking", b"").replace(b"train.wav", b"tram.wav")


def address(phase: Phase, name: str = "submission-create") -> str:
    return reverse(f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug])


def entry(team: Team, data: bytes = CANDIDATES, **fields: Any) -> dict[str, Any]:
    return {
        "team": team.pk,
        "system_name": "Careful",
        "file": SimpleUploadedFile("captions.csv", data),
        **fields,
    }


def test_a_member_submits_and_lands_on_the_system_page(
    cast: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    described: dict[str, Any] = {
        "description": "Two decoders.",
        "audio_modelling": "CNN14",
        "word_modelling": "transformer",
        "total_parameters": "98000000",
        "external_datasets": "AudioCaps",
        "source_code": "https://example.org/careful",
    }
    with django_capture_on_commit_callbacks() as sent:
        response = cast.client(cast.member).post(address(cast.phase), entry(cast.team, **described))
    submission = Submission.objects.get()
    assert response.status_code == 302
    assert response["Location"] == reverse("leaderboard:system", args=[submission.public_id])
    assert submission.submitted_by == cast.member
    assert bytes(submission.file.content) == CANDIDATES
    assert submission.metadata == {
        "system": {
            "description": {"audio_modelling": "CNN14", "word_modelling": "transformer"},
            "complexity": {"total_parameters": 98_000_000},
            "external_datasets": [{"name": "AudioCaps"}],
            "source_code": "https://example.org/careful",
        }
    }
    assert len(sent) == 1, "the evaluations are sent, once the submission is committed"


def test_an_outsider_cannot_submit_for_a_team(cast: Cast) -> None:
    join(TeamFactory.create(), cast.outsider)
    response = cast.client(cast.outsider).post(address(cast.phase), entry(cast.team))
    assert response.status_code == 422
    assert "Choose one of your teams." in response.content.decode()
    assert not Submission.objects.exists()


def test_who_has_no_team_can_make_one_there_and_comes_back(cast: Cast) -> None:
    client = cast.client(cast.outsider)
    page = client.get(address(cast.phase)).content.decode()
    assert f'action="{reverse("leaderboard:team-create")}"' in page
    assert f'name="next" value="{address(cast.phase)}"' in page
    response = client.post(
        reverse("leaderboard:team-create"), {"name": "Just me", "next": address(cast.phase)}
    )
    assert response["Location"] == address(cast.phase)
    form = client.get(address(cast.phase)).context["form"]
    assert isinstance(form, SubmissionForm)
    assert form["team"].initial == Team.objects.get(name="Just me"), "the only team is chosen"


def test_a_faulty_file_brings_the_page_back_with_every_fault_and_what_was_typed(cast: Cast) -> None:
    response = cast.client(cast.member).post(
        address(cast.phase), entry(cast.team, FAULTY, description="Kept text")
    )
    page = response.content.decode()
    assert response.status_code == 422
    assert [fault.line for fault in response.context["report"].errors] == [3, 4, None]
    assert "tram.wav" in page
    assert "train.wav" in page, "the clip that is missing is named"
    assert "Kept text" in page
    assert 'value="Careful"' in page
    assert Submission.objects.count() == StoredFile.objects.count() == 0


def test_a_page_lists_at_most_500_faults_and_says_how_many_there_are(cast: Cast) -> None:
    rows = b"".join(b"nowhere-%d.wav,a sound\n" % number for number in range(700))
    page = check(cast, CANDIDATES + rows).content.decode()
    assert "700 errors" in page
    assert "The first 500 are listed" in page
    assert page.count('role="row"') == 501


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"system_name": " "}, "Type a name: your metadata does not name this system."),
        ({"system_name": "Care\u202eful"}, "invisible character"),
        ({"total_parameters": "many"}, "whole number"),
        ({"total_parameters": "-1"}, "greater than or equal to 0"),
        ({"source_code": "javascript:alert(1)"}, "Enter a valid URL."),
        ({"source_code": "ftp://example.org/"}, "Enter a valid URL."),
        ({"file": ""}, "Choose the file with your captions."),
    ],
)
def test_fields_say_what_is_wrong_with_them(
    cast: Cast, fields: dict[str, Any], expected: str
) -> None:
    response = cast.client(cast.member).post(address(cast.phase), entry(cast.team, **fields))
    assert response.status_code == 422
    assert expected in response.content.decode()
    assert not Submission.objects.exists()


def test_names_and_metadata_are_shown_as_text_and_never_as_markup(cast: Cast) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    bad = CANDIDATES.replace(b"train.wav", hostile.encode())
    form = entry(cast.team, bad, system_name=hostile)
    metadata = METADATA.replace("CNN14", hostile).replace("SNU_task6_1", "<b>_task6_1")
    for response in (
        cast.client(cast.member).post(address(cast.phase), form),
        check(cast, package(csv=CANDIDATES, metadata=metadata), "p.zip"),
    ):
        page = response.content.decode()
        assert "<img src=x" not in page
        assert "<b>_" not in page
        assert "&lt;img src=x" in page


def test_the_quota_stands_on_the_page_before_and_refuses_after(cast: Cast) -> None:
    cast.rules(quota_per_day=2)
    client = cast.client(cast.member)
    client.post(address(cast.phase), entry(cast.team))
    assert "1 of 2 submissions left today; the count resets at" in (
        client.get(address(cast.phase)).content.decode()
    )
    client.post(address(cast.phase), entry(cast.team))
    response = client.post(address(cast.phase), entry(cast.team, description="Kept text"))
    assert response.status_code == 409
    assert "0 of 2 submissions left today" in response.content.decode()
    assert "Kept text" in response.content.decode()
    assert Submission.objects.count() == 2


@pytest.mark.parametrize(
    ("opens", "closes", "expected"), [(1, 2, "opens on"), (-2, -1, "closed on")]
)
def test_a_phase_that_is_not_open_says_so(
    cast: Cast, opens: int, closes: int, expected: str
) -> None:
    now = timezone.now()
    cast.rules(opens_at=now + timedelta(days=opens), closes_at=now + timedelta(days=closes))
    client = cast.client(cast.member)
    page = client.get(address(cast.phase))
    assert page.status_code == 200
    assert expected in page.content.decode()
    assert 'type="file"' not in page.content.decode()
    for name in ("submission-create", "submission-check"):
        response = client.post(address(cast.phase, name), entry(cast.team))
        assert response.status_code == 409
        assert expected in response.content.decode()
    assert not Submission.objects.exists()


def test_a_phase_without_references_takes_nothing(cast: Cast) -> None:
    cast.rules(reference_set=None)
    client = cast.client(cast.member)
    assert "has no references yet" in client.get(address(cast.phase)).content.decode()
    assert client.post(address(cast.phase), entry(cast.team)).status_code == 409


def test_the_same_file_again_is_taken_and_pointed_out_to_its_own_team(cast: Cast) -> None:
    submit(cast.phase, TeamFactory.create(), name="Theirs")
    client = cast.client(cast.member)
    first, second = (
        client.post(address(cast.phase), entry(cast.team, system_name=name), follow=True)
        for name in ("Earlier one", "Later one")
    )
    assert "same file" not in first.content.decode()
    assert "This is the same file as Earlier one" in second.content.decode()
    assert cast.team.submissions.count() == 2


def test_warnings_are_told_after_the_submission(cast: Cast) -> None:
    odd = CANDIDATES.replace(b"a door slams", b"none")
    response = cast.client(cast.member).post(
        address(cast.phase), entry(cast.team, odd), follow=True
    )
    assert "missing value written as text" in response.content.decode()


# -- the check ------------------------------------------------------------------


def check(cast: Cast, data: bytes, name: str = "captions.csv") -> Any:
    return cast.client(cast.outsider).post(
        address(cast.phase, "submission-check"), {"file": SimpleUploadedFile(name, data)}
    )


def test_a_check_says_how_many_clips_are_right_and_stores_nothing(cast: Cast) -> None:
    response = check(cast, CANDIDATES)
    assert response.status_code == 200
    assert "No errors: 5 clips" in response.content.decode()
    assert Submission.objects.count() == StoredFile.objects.count() == 0


def test_a_check_lists_every_fault_and_keeps_warnings_apart(cast: Cast) -> None:
    response = check(cast, FAULTY.replace(b"a door slams", b"none"))
    report = response.context["report"]
    assert [fault.line for fault in report.errors] == [3, 4, None]
    assert [fault.line for fault in report.warnings] == [5]
    assert "<html" not in response.content.decode(), "only a part of the page"


def test_a_check_by_nobody_leads_to_the_login_and_back_to_the_whole_page(cast: Cast) -> None:
    response = cast.client(None).post(
        address(cast.phase, "submission-check"), headers={"HX-Request": "true"}
    )
    login = f"{reverse('account_login')}?next={address(cast.phase)}"
    assert response["HX-Redirect"] == login
    assert cast.client(None).post(address(cast.phase, "submission-check"))["Location"] == login


def test_a_check_wants_a_file_and_a_post(cast: Cast) -> None:
    client = cast.client(cast.member)
    assert client.get(address(cast.phase, "submission-check")).status_code == 405
    response = client.post(address(cast.phase, "submission-check"))
    assert response.status_code == 422
    assert "Choose the file" in response.content.decode()


def test_faults_tell_nothing_of_hidden_references(cast: Cast) -> None:
    cast.rules(references_public=False)
    for data in (FAULTY, b"", b"file_name,caption_predicted\n", b"\x00\xff", CANDIDATES[:40]):
        response = check(cast, data)
        assert response.status_code == 200
        assert response.context["report"].errors
        page = response.content.decode()
        assert not [caption for caption in REFERENCES.captions if caption in page]


# -- limits ---------------------------------------------------------------------


def test_a_file_above_the_limit_is_refused_in_words_and_never_held_whole(
    cast: Cast, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 100_000
    large = CANDIDATES + b"x" * 1_000_000
    client = cast.client(cast.member)
    for name in ("submission-create", "submission-check"):
        response = client.post(
            address(cast.phase, name), entry(cast.team, large, description="Kept text")
        )
        assert response.status_code == 422
        assert "larger than the limit of 0.1 MB" in response.content.decode()
    assert not Submission.objects.exists()
    form = client.post(address(cast.phase), entry(cast.team, large)).context["form"]
    # One chunk (64 KiB) at most comes on top of the limit.
    assert form.files["file"].size <= 100_000 + 2**16
    assert form.data["system_name"] == "Careful", "the fields around the file survive"


def test_a_file_just_at_the_limit_is_taken(cast: Cast, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = len(CANDIDATES)
    response = cast.client(cast.member).post(address(cast.phase), entry(cast.team))
    assert response.status_code == 302
    assert Submission.objects.get().metadata == {}, "what is left empty is left out"


def test_who_checks_without_pause_is_asked_to_wait(cast: Cast, settings: Settings) -> None:
    settings.RATELIMIT_ENABLE = True
    for _ in range(30):
        assert check(cast, b"").status_code == 200
    response = check(cast, b"")
    assert response.status_code == 429
    assert response["Content-Type"].startswith("text/plain")
    # Submitting draws on the same count; another person has their own.
    page = address(cast.phase)
    assert cast.client(cast.outsider).post(page, {}).status_code == 429
    assert cast.client(cast.outsider).get(page).status_code == 200
    assert cast.client(cast.member).post(page, entry(cast.team)).status_code == 302


# -- packages -------------------------------------------------------------------


def test_a_package_of_several_systems_asks_which_and_takes_the_one_that_is_chosen(
    cast: Cast,
) -> None:
    labels = ("Kim_SNU_task6_1", "Kim_SNU_task6_2")
    data = archive({f"{one}/{one}_output.csv": CANDIDATES for one in labels})
    asked = check(cast, data, "task6.zip")
    assert asked.context["report"].systems == labels
    page = asked.content.decode()
    assert "task6.zip contains 2 systems" in page
    assert page.count('name="package_system"') == 2
    response = cast.client(cast.member).post(
        address(cast.phase),
        entry(cast.team, package_system=labels[1])
        | {"file": SimpleUploadedFile("task6.zip", data)},
    )
    assert response.status_code == 302
    assert Submission.objects.get().label == labels[1]


def test_the_check_says_what_it_read_and_which_file_a_fault_is_of(cast: Cast) -> None:
    metadata = METADATA.replace("98000000", "98M")
    response = check(cast, package(csv=FAULTY, metadata=metadata), "p.zip")
    report = response.context["report"]
    assert {fault.file for fault in report.errors} == {f"{LABEL}_output.csv"}
    assert [fault.file for fault in report.warnings] == [f"{LABEL}.meta.yaml"]
    read = {item.label: item.shown for item in report.read}
    assert read["System name"] == "Careful listener"
    assert read["Parameters"] == "98,000,000"
    assert 'data-prefill="id_audio_modelling" data-value="CNN14"' in response.content.decode()
