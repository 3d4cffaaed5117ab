"""The page of a file: what it would bring, and bringing it in as somebody decided."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError
from django.utils import timezone

from annotation.models import COUNTING, Annotation, Import, ImportState, Member, Project, Role
from annotation.services.formats.waiting_imports import WAITS_FOR
from annotation.services.projects import member_add
from leaderboard.models import AuditEvent
from tests.annotation.conftest import Crew
from tests.annotation.formats.test_imports import FILES, project_of, record
from tests.annotation.projects.manage_page import HOSTILE, page, post, show, text_file
from tests.factories import UserFactory
from tests.leaderboard.challenges.test_commands import run
from tests.leaderboard.scored_pages import text

# How many captions of the published 10-label file are by whom.
PUBLISHED_BY = {"gijs": 584, "elia": 225, "bruno": 119}

ROW = record("dev-elia", (0, 0, "ART"), (1, 1, "SIZE"), (2, 2, "WHO"))


def choose(crew: Crew, *rows: dict[str, Any], **form: Any) -> str:
    """Choose a file; return the address of its page."""
    response = post(crew, "captions/", {"file": text_file(*rows), **form})
    assert response.status_code == 302
    return str(response["Location"])


def see(crew: Crew, address: str) -> str:
    response = crew.client(crew.manager).get(address)
    assert response.status_code == 200
    return text(response.content)


def decide(crew: Crew, address: str, **form: str) -> Any:
    return crew.client(crew.manager).post(address, form)


def test_a_file_shows_what_it_would_bring_before_anything_comes_in(crew: Crew) -> None:
    here = {"text": crew.items[0].text}
    html = see(crew, choose(crew, ROW, here, {"text": "one cat"}, {"text": ""}))
    for said in (
        "Nothing has been imported yet.",
        "Records in the file 3, 1 of them with labels",
        "New captions 2",
        "New annotations 1",
        "Already in the project 1 record",
        "Left out: 1 record",
        "These lines cannot be imported.",
        "2 labels of the file are not in ACES, 13 labels: ART (1), SIZE (1).",
        "dev-elia (new, no log-in)",
    ):
        assert said in html, said
    assert crew.project.items.count() == 4
    assert not Annotation.objects.exists()
    assert not Member.objects.filter(name="dev-elia").exists()


def test_a_lead_says_what_each_label_becomes_and_whose_a_session_is(crew: Crew) -> None:
    address = choose(crew, ROW)
    member = crew.project.members.get(user=crew.ann)
    # Most spans first, then by name: ART, SIZE, WHO.
    said = {"label-0": "-", "label-1": "WHO_WHAT_PROPERTY", "session-0": str(crew.ann.pk)}
    assert decide(crew, address, look="yes", **said)["Location"] == address
    html = see(crew, address)
    assert "do not count for agreement" not in html
    assert "2 labels of the file are not" not in html
    assert not Annotation.objects.exists()
    assert decide(crew, address, **{"import": "yes"}, **said)["Location"] == address
    row = Annotation.objects.get()
    assert (row.user, [span["label"] for span in row.spans]) == (
        member.user,
        ["WHO_WHAT_PROPERTY", "WHO"],
    )
    done = see(crew, address)
    assert "ART Not in the project 1 Nothing: left out 1" in done
    assert "SIZE Not in the project 1 Property of who or what 0" in done
    kept = Import.objects.get()
    assert (kept.state, bytes(kept.content), kept.by) == (ImportState.DONE, b"", crew.manager)
    assert kept.chosen["table"] == {"ART": "", "SIZE": "WHO_WHAT_PROPERTY"}
    assert "x.jsonl" in show(crew)
    assert AuditEvent.objects.filter(action="labelling.fill").count() == 1


def test_a_span_that_does_not_fit_and_labels_that_are_not_read_are_shown(crew: Crew) -> None:
    bad = {"text": "one cat", "spans": [{"start": 4, "end": 2, "label": "WHO"}]}
    foreign = {"text": "two cats", "label": [[4, 8, "WHO"]]}
    address = choose(crew, bad, foreign, {**foreign, "text": "three cats"})
    for said in (
        "labels that will not be read: label , first in line 2, in 2 records",
        "Incomplete 1 annotation without spans that the file has: flagged, and not counted.",
        "1 Span 1 ends before it begins.",
        "New annotations 1",
        "Records left out 0",
    ):
        assert said in see(crew, address), said
    decide(crew, address, **{"import": "yes", "map_from": "aces-13"})
    assert "were not read: label , first in line 2" in see(crew, address)
    assert "1 caption flagged" in show(crew, "")
    row = Annotation.objects.get()
    assert "Incomplete: spans of the file did not come in." in see(
        crew, f"/annotate/{crew.project.slug}/captions/{row.item_id}/"
    )


def test_what_is_not_said_is_refused_with_the_labels_and_nothing_comes_in(crew: Crew) -> None:
    address = choose(crew, ROW)
    response = decide(crew, address, **{"import": "yes", "label-0": "-"})
    assert response.status_code == 422
    assert "1 label of the file is not in ACES, 13 labels: SIZE (1)." in text(response.content)
    assert not Annotation.objects.exists()
    assert Import.objects.get().state == ImportState.WAITING


@pytest.mark.parametrize("name", ["label-0", "session-0", "map_from"])
def test_what_cannot_be_chosen_is_refused(crew: Crew, name: str) -> None:
    address = choose(crew, ROW)
    assert decide(crew, address, **{"import": "yes", name: HOSTILE}).status_code == 422
    assert not Annotation.objects.exists()


def test_labels_and_sessions_of_a_file_may_hold_anything(crew: Crew) -> None:
    address = choose(crew, record(HOSTILE, (0, 0, HOSTILE)))
    html = crew.client(crew.manager).get(address).content.decode()
    assert "<script>alert" not in html
    decide(crew, address, **{"import": "yes", "label-0": "HOW"})
    assert Annotation.objects.get().spans[0]["label"] == "HOW"
    html = crew.client(crew.manager).get(address).content.decode()
    assert "<script>alert" not in html
    assert "<script>alert" not in show(crew)


def test_a_file_that_is_discarded_is_forgotten(crew: Crew) -> None:
    address = choose(crew, ROW)
    assert decide(crew, address, discard="yes")["Location"] == page(crew, "files/")
    assert crew.client(crew.manager).get(address).status_code == 404
    assert not Import.objects.exists()


def test_a_file_is_imported_once_however_often_it_is_sent(crew: Crew) -> None:
    address = choose(crew, {"text": "one cat"})
    for _ in range(2):
        response = decide(crew, address, **{"import": "yes"})
    assert crew.project.items.filter(text="one cat").count() == 1
    assert "imported or discarded in the meantime" in response.content.decode()
    assert Import.objects.count() == 1


def test_nothing_new_is_said_and_makes_no_entry(crew: Crew) -> None:
    address = choose(crew, {"text": crew.items[0].text})
    html = see(crew, address)
    assert "There is nothing new in this file." in html
    assert "Import</button>" not in crew.client(crew.manager).get(address).content.decode()
    assert decide(crew, address, **{"import": "yes"})["Location"] == page(crew, "files/")
    assert not Import.objects.exists()


def test_one_file_waits_for_a_person_and_none_for_ever(crew: Crew) -> None:
    choose(crew, {"text": "one cat"})
    old = Import.objects.get()
    choose(crew, {"text": "two cats"})
    kept = Import.objects.get()
    assert kept.pk != old.pk
    Import.objects.update(by=crew.judge, at=timezone.now() - WAITS_FOR - timedelta(hours=1))
    choose(crew, {"text": "three cats"})
    assert Import.objects.get().by == crew.manager


def crew_of(crew: Crew, scheme: str) -> Crew:
    """The crew with an empty project of these labels."""
    project = project_of(scheme)
    member_add(project=project, user=crew.manager, role=Role.MANAGER)
    return replace(crew, project=project)


def choose_published(crew: Crew, shared_data: Path, name: str) -> tuple[bytes, str]:
    """Choose a published file; return what is in it, and the address of its page."""
    data = (shared_data / "descriptors" / name).read_bytes()
    response = post(crew, "captions/", {"file": SimpleUploadedFile(name, data)})
    return data, str(response["Location"])


def downloaded(crew: Crew) -> bytes:
    address = f"/annotate/{crew.project.slug}/export/?format=prodigy&who=all"
    return b"".join(crew.client(crew.manager).get(address).streaming_content)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "scheme"), FILES.items())
def test_a_published_file_goes_in_and_out_by_the_pages_byte_for_byte(
    crew: Crew, shared_data: Path, name: str, scheme: str
) -> None:
    crew = crew_of(crew, scheme)
    data, address = choose_published(crew, shared_data, name)
    lines = f"{len(data.splitlines()):,}"
    html = see(crew, address)
    for said in (
        f"Records in the file {lines}, {lines} of them with labels",
        f"New captions {lines}",
        f"New annotations {lines}",
        "Records left out 0",
    ):
        assert said in html, said
    assert decide(crew, address, **{"import": "yes"})["Location"] == address
    assert downloaded(crew) == data
    data, address = choose_published(crew, shared_data, name)
    assert "There is nothing new in this file." in see(crew, address)


def test_ten_published_labels_are_shown_refused_and_mapped_in_a_project_of_thirteen(
    crew: Crew, shared_data: Path
) -> None:
    """Nothing comes in before somebody says whose labels they are; then they do not count."""
    crew = crew_of(crew, "aces-13")
    data, address = choose_published(crew, shared_data, "aces_10_labels.jsonl")
    html = see(crew, address)
    for said in (
        "Records in the file 928, 928 of them with labels",
        "New captions 928",
        "New annotations 928",
        "Choose aces-10 or aces-13.",
        "HOW 1,864",
    ):
        assert said in html, said
    assert decide(crew, address, **{"import": "yes"}).status_code == 422
    assert crew.project.items.count() == 0
    for person, count in PUBLISHED_BY.items():
        session = f"audio_captions_dev-{person}"
        assert f"{session} {count} Whose session {session} is {session} (new, no log-in)" in html
    chosen = {"map_from": "aces-10", "session-0": str(crew.manager.pk)}
    assert decide(crew, address, **{"import": "yes"}, **chosen)["Location"] == address
    assert "do not count for agreement" in see(crew, address)
    rows = Annotation.every.filter(item__project=crew.project)
    assert (rows.count(), rows.filter(COUNTING).count()) == (928, 0)
    assert rows.filter(user=crew.manager).count() in PUBLISHED_BY.values()
    assert downloaded(crew) == data


def test_thirteen_published_labels_name_what_a_project_of_ten_lacks(
    crew: Crew, shared_data: Path
) -> None:
    crew = crew_of(crew, "aces-10")
    _, address = choose_published(crew, shared_data, "aces_13_labels.jsonl")
    html = see(crew, address)
    assert "HOW_PROPERTY (106), WHO_WHAT_PROPERTY (82), WHAT/WHERE (36)" in html
    assert re.search("HOW_PROPERTY Not in the project 106", html)
    assert decide(crew, address, **{"import": "yes"}).status_code == 422
    assert decide(crew, address, look="yes", map_from="aces-13")["Location"] == address
    html = see(crew, address)
    assert "Records in the file 400, 400 of them with labels" in html
    assert crew.project.items.count() == 0


def test_an_import_leads_on_to_its_captions_and_their_recordings(crew: Crew) -> None:
    address = choose(crew, {"text": "one cat"})
    decide(crew, address, **{"import": "yes"})
    html = crew.client(crew.manager).get(address).content.decode()
    assert f'href="/annotate/{crew.project.slug}/captions/"' in html
    assert f'href="{page(crew, "sounds/")}"' in html


def test_a_closed_project_says_that_annotations_of_a_file_count(crew: Crew) -> None:
    address, said = choose(crew, ROW), "still count, and change the agreement"
    assert said not in see(crew, address)
    Project.objects.update(closed=True)
    assert said in see(crew, address)
    assert said not in see(crew, choose(crew, {"text": "one cat"}))


# -- the commands --------------------------------------------------------------------------


def test_a_real_file_goes_in_by_one_command_and_out_by_another(
    db: None, shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "descriptors" / "aces_13_labels.jsonl"
    gijs = UserFactory(username="gijs")
    arguments = [source, "--project", "aces", "--create"]
    out, err = run("import_annotations", *arguments, "--as", "audio_captions_dev-gijs=gijs")
    assert out.splitlines() == [
        "Created the project aces with ACES, 13 labels.",
        "New member without a log-in: audio_captions_dev-elia",
        "aces: 400 captions and 400 annotations added, 0 there already, 0 left out.",
    ]
    assert err == ""
    assert Annotation.objects.filter(user=gijs).count() == 184
    target = tmp_path / "out.jsonl"
    out, _ = run("export_annotations", "aces", "--out", target)
    assert out == f"Wrote {target} (551,604 bytes).\n"
    assert target.read_bytes() == source.read_bytes()
    assert list(tmp_path.iterdir()) == [target]
    out, _ = run("import_annotations", target, "--project", "aces")
    assert out == "aces: 0 captions and 0 annotations added, 400 there already, 0 left out.\n"


def test_thirteen_labels_become_ten_on_request(db: None, shared_data: Path) -> None:
    source = shared_data / "descriptors" / "aces_13_labels.jsonl"
    arguments = [source, "--project", "ten", "--create", "--scheme", "aces-10"]
    out, _ = run("import_annotations", *arguments, "--map-from", "aces-13")
    assert "400 annotations added" in out
    assert out.splitlines()[-1].endswith("annotations incomplete: flagged, and not counted.")


def test_lines_that_were_left_out_are_told(crew: Crew, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"text": "one dog"}\n{"text": ""}\n')
    out, err = run("import_annotations", file, "--project", crew.project.slug)
    assert err == "Line 2: The text is empty. Leave the record out.\n"
    assert "1 caption and 0 annotations added, 0 there already, 1 left out." in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--project", "no"], "There is no project no. Known: project-0."),
        (["--project", "n o", "--create"], "Enter a valid"),
        (["--project", "x", "--create", "--scheme", "y"], "There is no scheme y. Known: aces-10, "),
        (["--project", "x", "--create", "--manager", "y"], "There is no user y."),
        (["--project", "x", "--create", "--copies", "0"], "greater than or equal to 1"),
        (["--project", "project-0", "--as", "elia"], "should be SESSION=USERNAME"),
        (["--project", "project-0", "--as", "a=b"], "There is no user b."),
        (["--project", "project-0", "--map", "NOISE"], "should be LABEL=LABEL"),
        (["--project", "new", "--create"], "cannot be read"),
        (["--project", "project-0"], "cannot be read"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_made(
    crew: Crew, tmp_path: Path, arguments: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        run("import_annotations", tmp_path / "none.jsonl", *arguments)
    assert Project.objects.count() == 1


def test_an_export_that_cannot_be_says_why(crew: Crew, tmp_path: Path) -> None:
    slug = crew.project.slug
    with pytest.raises(CommandError, match="There is no project no"):
        run("export_annotations", "no")
    with pytest.raises(CommandError, match='Nobody called "x"'):
        run("export_annotations", slug, "--who", "x")
    with pytest.raises(CommandError, match="cannot be written"):
        run("export_annotations", slug, "--out", tmp_path / "no" / "x")


def test_without_a_file_it_goes_to_standard_output(
    crew: Crew, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run("export_annotations", crew.project.slug, "--format", "csv")
    assert capfdbinary.readouterr().out.startswith(b"text,")
