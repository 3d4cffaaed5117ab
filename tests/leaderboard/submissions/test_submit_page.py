"""The submit page: who may, what is taken, what is refused and how that is told."""

from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.forms.submissions import SubmissionForm
from leaderboard.models import Phase, StoredFile, Submission, Team
from tests.earmark.packages.files import LABEL, METADATA, archive, package
from tests.factories import CANDIDATES, REFERENCES, TeamFactory, join, submit
from tests.leaderboard.conftest import Cast

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
    make = reverse("leaderboard:teams") + "?act=new"
    assert f'action="{make}"' in page
    assert f'name="next" value="{address(cast.phase)}"' in page
    response = client.post(make, {"name": "Just me", "next": address(cast.phase)})
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


def test_fields_say_what_is_wrong_with_them(cast: Cast) -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"system_name": " "}, "Type a name: your metadata does not name this system."),
        ({"system_name": "Care\u202eful"}, "invisible character"),
        ({"total_parameters": "many"}, "whole number"),
        ({"total_parameters": "-1"}, "greater than or equal to 0"),
        ({"source_code": "javascript:alert(1)"}, "Enter a valid URL."),
        ({"source_code": "ftp://example.org/"}, "Enter a valid URL."),
        ({"file": ""}, "Choose the file with your captions."),
    )
    for fields, expected in cases:
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
    client, page = cast.client(cast.member), address(cast.phase)
    client.post(page, entry(cast.team))
    said = "1 of 2 submissions left today; the count resets at"
    assert said in client.get(page).content.decode()
    client.post(page, entry(cast.team))
    response = client.post(page, entry(cast.team, description="Kept text"))
    assert response.status_code == 409
    assert "0 of 2 submissions left today" in response.content.decode()
    assert "Kept text" in response.content.decode()
    assert Submission.objects.count() == 2


def test_a_phase_that_is_not_open_says_so(cast: Cast) -> None:
    now, client = timezone.now(), cast.client(cast.member)
    for opens, closes, expected in ((1, 2, "opens on"), (-2, -1, "closed on")):
        cast.rules(opens_at=now + timedelta(days=opens), closes_at=now + timedelta(days=closes))
        page = client.get(address(cast.phase))
        assert page.status_code == 200
        assert expected in page.content.decode()
        assert 'type="file"' not in page.content.decode()
        for name in ("submission-create", "submission-check"):
            response = client.post(address(cast.phase, name), entry(cast.team))
            assert response.status_code == 409
            assert expected in response.content.decode()
    assert not Submission.objects.exists()


def test_the_same_file_again_and_warnings_are_pointed_out_to_its_own_team(cast: Cast) -> None:
    odd = CANDIDATES.replace(b"a door slams", b"none")
    submit(cast.phase, TeamFactory.create(), name="Theirs", data=odd)
    client = cast.client(cast.member)
    first, second = (
        client.post(address(cast.phase), entry(cast.team, odd, system_name=name), follow=True)
        for name in ("Earlier one", "Later one")
    )
    assert "missing value written as text" in first.content.decode()
    assert "same file" not in first.content.decode()
    assert "This is the same file as Earlier one" in second.content.decode()
    assert cast.team.submissions.count() == 2


# -- the check ------------------------------------------------------------------


def check(cast: Cast, data: bytes, name: str = "captions.csv") -> Any:
    return cast.client(cast.outsider).post(
        address(cast.phase, "submission-check"), {"file": SimpleUploadedFile(name, data)}
    )


def test_a_check_lists_every_fault_keeps_warnings_apart_and_stores_nothing(cast: Cast) -> None:
    response = check(cast, FAULTY.replace(b"a door slams", b"none"))
    report = response.context["report"]
    assert [fault.line for fault in report.errors] == [3, 4, None]
    assert [fault.line for fault in report.warnings] == [5]
    assert "<html" not in response.content.decode(), "only a part of the page"
    assert "No errors: 5 clips" in check(cast, CANDIDATES).content.decode()
    rows = b"".join(b"nowhere-%d.wav,a sound\n" % number for number in range(700))
    page = check(cast, CANDIDATES + rows).content.decode()
    assert "700 errors" in page
    assert "The first 500 are listed" in page
    assert page.count('role="row"') == 501
    assert Submission.objects.count() == StoredFile.objects.count() == 0
    # Nobody is led to the log-in, and back to the whole page.
    to, login = address(cast.phase, "submission-check"), reverse("account_login")
    answer = cast.client(None).post(to, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == f"{login}?next={address(cast.phase)}"


def test_faults_tell_nothing_of_hidden_references(cast: Cast) -> None:
    cast.rules(references_public=False)
    for data in (FAULTY, b"", b"file_name,caption_predicted\n", b"\x00\xff", CANDIDATES[:40]):
        response = check(cast, data)
        assert response.status_code == 200
        assert response.context["report"].errors
        page = response.content.decode()
        assert not [caption for caption in REFERENCES.captions if caption in page]


# -- limits ---------------------------------------------------------------------


def test_a_file_above_the_limit_is_never_held_whole(cast: Cast, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = len(CANDIDATES)
    large, client = CANDIDATES + b"x" * 1_000_000, cast.client(cast.member)
    for name in ("submission-create", "submission-check"):
        response = client.post(address(cast.phase, name), entry(cast.team, large))
        assert response.status_code == 422
        assert "larger than the limit of" in response.content.decode()
    form = client.post(address(cast.phase), entry(cast.team, large)).context["form"]
    # One chunk (64 KiB) at most comes on top of the limit.
    assert form.files["file"].size <= len(CANDIDATES) + 2**16
    assert form.data["system_name"] == "Careful", "the fields around the file survive"
    assert not Submission.objects.exists()
    assert client.post(address(cast.phase), entry(cast.team)).status_code == 302
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


def test_of_a_package_of_several_systems_the_chosen_one_is_taken(cast: Cast) -> None:
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


def test_a_name_is_asked_for_before_anything_is_sent_where_no_metadata_have_one(cast: Cast) -> None:
    """The check says so, and the browser then sends no form without it, which keeps the file."""
    assert 'data-needed="id_system_name"' in check(cast, CANDIDATES).content.decode()
    named = check(cast, package(csv=CANDIDATES), "package.zip").content.decode()
    assert "No errors: 5 clips" in named
    assert "data-needed" not in named
    page = cast.client(cast.member).get(address(cast.phase)).content.decode()
    assert ">System name</label>" in page, "no word of optional"


def test_who_may_submit_no_more_is_told_when_and_gets_no_form(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    client = cast.client(cast.member)
    for rules, said in (
        ({"quota_per_day": 1}, "The next submission is possible at"),
        (
            {"closes_at": timezone.now().replace(hour=23, minute=59, second=59)},
            "No more submissions are possible: the phase closes before the next day.",
        ),
        (
            {"quota_per_day": None, "quota_total": 1},
            "No more submissions are possible in this phase.",
        ),
        ({"quota_total": None, "systems_per_team": 1}, "Withdraw one to make room: System."),
    ):
        cast.rules(**rules)
        page = client.get(address(cast.phase)).content.decode()
        assert said in page
        assert 'type="file"' not in page
    join(TeamFactory.create(), cast.member)
    assert 'type="file"' in client.get(address(cast.phase)).content.decode()


def test_it_names_every_clip_and_no_caption(cast: Cast) -> None:
    cast.rules(references_public=False)
    response = cast.client(cast.outsider).get(address(cast.phase, "submission-template"))
    assert response.content.decode() == (
        "file_name,caption_predicted\n"
        "rain.wav,\n"
        "dog.wav,\n"
        "train.wav,\n"
        "door.wav,\n"
        '"bell, small.wav",\n'
    )
    assert not [text for text in REFERENCES.captions if text in response.content.decode()]
    assert response["Content-Disposition"].startswith("attachment")


def test_those_who_manage_it_get_the_bytes_as_they_came(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    path = reverse("leaderboard:submission-file", args=[submission.public_id])
    for user in (cast.member, cast.owner, cast.organiser):
        response = cast.client(user).get(path)
        assert response.content == CANDIDATES
        assert response["Content-Disposition"] == 'attachment; filename="candidates.csv"'
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Type"] == "application/octet-stream"
    # A file name cannot add headers.
    submission.file_name = 'a"; filename="evil.html\r\nSet-Cookie: a=b\r\n é.csv'
    submission.save()
    response = cast.client(cast.member).get(path)
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers
    assert "\n" not in response["Content-Disposition"]
