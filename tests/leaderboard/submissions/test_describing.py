"""Protect what is said of a system: who reads it, who may correct it and until when."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from earmark.packages.metadata_files import metadata_read
from earmark.packages.reading import File
from leaderboard.models import AuditEvent, Submission
from leaderboard.services.submissions.accepting import (
    AttachedFiles,
    SystemDescription,
    submission_accept,
)
from tests.earmark.packages.files import LABEL, METADATA, PDF, package
from tests.factories import CANDIDATES
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.conftest import Cast


def handed_in(cast: Cast) -> Submission:
    return submission_accept(
        phase=cast.phase,
        team=cast.team,
        user=cast.member,
        system=SystemDescription(),
        upload=File("package.zip", package(csv=CANDIDATES)),
        now=timezone.now(),
    )


def close(cast: Cast) -> None:
    cast.rules(closes_at=timezone.now() - timedelta(minutes=1))


def url(name: str, submission: Submission) -> str:
    return reverse(f"leaderboard:submission-{name}", args=[submission.public_id])


def edited(client: Client, submission: Submission, **fields: str) -> int:
    form = {"system_name": "New name", "description": "", "metadata": METADATA, **fields}
    return client.post(url("edit", submission), form).status_code


def test_a_package_is_kept_whole(cast: Cast) -> None:
    stored = Submission.objects.get(pk=handed_in(cast).pk)
    assert (stored.system_name, stored.label) == ("Careful listener", LABEL)
    assert bytes(stored.file.content) == CANDIDATES
    assert stored.file_name == f"{LABEL}_output.csv"
    assert stored.report is not None
    assert bytes(stored.report.content) == PDF
    whole = metadata_read(METADATA.encode()).value
    assert whole is not None
    assert stored.metadata == whole.to_dict()


def test_what_is_typed_stands_before_the_metadata_which_keep_what_is_known(cast: Cast) -> None:
    """The form is filled in with the names of the metadata's data sets."""
    typed = {"audio_modelling": "BEATs", "external_datasets": "audiocaps, WavCaps"}
    stored = submission_accept(
        phase=cast.phase,
        team=cast.team,
        user=cast.member,
        system=SystemDescription("Typed", "", typed),
        upload=File("c.csv", CANDIDATES),
        attached=AttachedFiles(metadata=File("m.yaml", METADATA.encode())),
        now=timezone.now(),
    )
    assert stored.system_name == "Typed"
    said = stored.metadata["system"]["description"]
    assert (said["audio_modelling"], said["word_modelling"]) == ("BEATs", "transformer")
    first, second = stored.metadata["system"]["external_datasets"]
    assert first["used_for"] == "audio_and_word_modelling"
    assert second == {"name": "WavCaps"}


def test_the_page_shows_sections_to_all_and_people_to_the_team(cast: Cast) -> None:
    submission = handed_in(cast)
    address = reverse("leaderboard:system-about", args=[submission.public_id])
    for user in (None, cast.outsider, cast.member, cast.organiser):
        page = cast.client(user).get(address).content.decode()
        for text in (LABEL, "CNN14", "98,000,000", "AudioCaps", "Learning rate", "SPIDEr-FL"):
            assert text in page
        own = user in (cast.member, cast.organiser)
        assert ("ara.kim@example.org" in page) is own
        assert ("Lee" in page) is own
        assert (url("edit", submission) in page) is own


def test_metadata_are_downloaded_as_they_read_back_without_people_for_others(cast: Cast) -> None:
    submission = handed_in(cast)
    own = cast.client(cast.member).get(url("metadata", submission))
    assert own["Content-Disposition"] == f'attachment; filename="{LABEL}.meta.yaml"'
    assert metadata_read(own.content).value == metadata_read(METADATA.encode()).value
    other = cast.client(None).get(url("metadata", submission)).content
    assert b"CNN14" in other
    assert b"Kim" not in other.replace(LABEL.encode(), b"")
    path = f"/submissions/{submission.public_id}"
    assert "ara.kim@example.org" in json.dumps(body(caller(cast.member).get(path)))
    told = json.dumps(body(caller(None).get(path)))
    assert "example.org/careful" in told
    assert "Kim" not in told.replace(LABEL, "")


def test_the_report_is_for_others_once_the_phase_has_closed(cast: Cast) -> None:
    cast.rules(closes_at=timezone.now() + timedelta(days=1))
    submission = handed_in(cast)
    for user, status in ((None, 404), (cast.outsider, 404), (cast.member, 200)):
        assert cast.client(user).get(url("report", submission)).status_code == status
    close(cast)
    response = cast.client(None).get(url("report", submission))
    assert response.content == PDF
    assert response["Content-Disposition"] == f'attachment; filename="{LABEL}.pdf"'
    assert response["X-Content-Type-Options"] == "nosniff"


# -- correcting ------------------------------------------------------------------


def test_the_team_corrects_everything_but_captions_and_the_log_says_what(cast: Cast) -> None:
    submission = handed_in(cast)
    client = cast.client(cast.member)
    page = client.get(url("edit", submission))
    assert "metric_monitored:" in page.context["form"]["metadata"].value(), "blanks to fill in"
    changed = METADATA.replace("CNN14", "BEATs").replace("98000000", "99M")
    assert edited(client, submission, metadata=changed, description="Better words") == 302
    stored = Submission.objects.get(pk=submission.pk)
    assert (stored.system_name, stored.description) == ("New name", "Better words")
    assert stored.metadata["system"]["description"]["audio_modelling"] == "BEATs"
    assert stored.metadata["system"]["complexity"]["total_parameters"] == 99_000_000
    assert (stored.file_id, stored.created_at) == (submission.file_id, submission.created_at)
    event = AuditEvent.objects.get(action="submission.describe")
    assert event.actor == cast.member
    assert event.details == {
        "changed": [
            "description",
            "metadata.system.complexity.total_parameters",
            "metadata.system.description.audio_modelling",
            "system_name",
        ],
        "system_name_before": "Careful listener",
    }


def test_the_form_as_it_is_shown_and_a_faulty_one_change_nothing(cast: Cast) -> None:
    submission = handed_in(cast)
    client = cast.client(cast.member)
    form = client.get(url("edit", submission)).context["form"]
    values = {name: form[name].value() for name in ("system_name", "description", "metadata")}
    assert client.post(url("edit", submission), values).status_code == 302
    response = client.post(
        url("edit", submission), {"system_name": "New", "metadata": "a: [b\nkept: text"}
    )
    page = response.content.decode()
    assert response.status_code == 422
    assert "kept: text" in page
    assert "not closed" in page
    assert Submission.objects.get(pk=submission.pk).system_name == "Careful listener"
    assert not AuditEvent.objects.filter(action="submission.describe").exists()


@pytest.mark.parametrize(
    ("who", "before", "after"),
    [("outsider", 404, 404), ("member", 302, 403), ("organiser", 302, 302)],
)
def test_who_may_correct_and_until_when(cast: Cast, who: str, before: int, after: int) -> None:
    submission = handed_in(cast)
    client = cast.client(getattr(cast, who))
    assert edited(client, submission) == before
    close(cast)
    assert edited(client, submission, system_name="Later") == after
    patched = caller(getattr(cast, who)).send(
        "patch", f"/submissions/{submission.public_id}", {"description": "Later"}
    )
    assert patched.status_code == {302: 200}.get(after, after)


def test_the_api_corrects_too(cast: Cast) -> None:
    submission = handed_in(cast)
    user = caller(cast.member)
    path = f"/submissions/{submission.public_id}"
    found = body(user.send("patch", path, {"metadata": {"audio_modelling": "BEATs"}}))
    assert found["metadata"] == {"system": {"description": {"audio_modelling": "BEATs"}}}
    assert found["system_name"] == "Careful listener"
    assert found["label"] == ""
    for change, field in (
        ({"system_name": " "}, "system_name"),
        ({"description": "a\x00b"}, "description"),
        ({"metadata": {"a": "x" * 30_000}}, "metadata"),
    ):
        refused = problem(user.send("patch", path, change), 422)
        assert [fault["column"] for fault in refused["faults"]] == [field]
