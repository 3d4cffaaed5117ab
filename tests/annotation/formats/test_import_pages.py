"""The page of a file: what it would bring, and bringing it in as somebody decided."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.utils import timezone

from annotation.models import Annotation, Import, ImportState, Member, Project
from annotation.services.formats.waiting_imports import WAITS_FOR
from leaderboard.models import AuditEvent
from tests.annotation.conftest import Crew
from tests.annotation.formats.test_imports import record
from tests.annotation.projects.manage_page import HOSTILE, page, post, show, text_file
from tests.factories import UserFactory
from tests.leaderboard.challenges.test_commands import run
from tests.leaderboard.scored_pages import text

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
    # Most spans first, then by name: ART, SIZE, WHO.
    said = {"label-0": "-", "label-1": "WHO_WHAT_PROPERTY", "session-0": str(crew.ann.pk)}
    assert decide(crew, address, look="yes", **said)["Location"] == address
    assert "2 labels of the file are not" not in see(crew, address)
    assert not Annotation.objects.exists()
    assert decide(crew, address, **{"import": "yes"}, **said)["Location"] == address
    row = Annotation.objects.get()
    assert (row.user, [span["label"] for span in row.spans]) == (
        crew.ann,
        ["WHO_WHAT_PROPERTY", "WHO"],
    )
    assert "ART Not in the project 1 Nothing: left out 1" in see(crew, address)
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
        "Incomplete 1 annotation that lacks spans of the file: flagged, and not counted.",
        "1 Span 1 ends before it begins.",
        "New annotations 1",
        "Records left out 0",
    ):
        assert said in see(crew, address), said
    decide(crew, address, **{"import": "yes", "map_from": "aces-13"})
    assert "were not read: label , first in line 2" in see(crew, address)
    assert "1 caption flagged" in show(crew, "")
    row = Annotation.objects.get()
    assert "Incomplete: spans of the file were not imported." in see(
        crew, f"/annotate/{crew.project.slug}/captions/{row.item_id}/"
    )


def test_what_is_not_said_or_cannot_be_chosen_is_refused_and_nothing_comes_in(crew: Crew) -> None:
    address = choose(crew, ROW)
    response = decide(crew, address, **{"import": "yes", "label-0": "-"})
    assert response.status_code == 422
    assert "1 label of the file is not in ACES, 13 labels: SIZE (1)." in text(response.content)
    for name in ("label-0", "session-0", "map_from"):
        assert decide(crew, address, **{"import": "yes", name: HOSTILE}).status_code == 422
    assert not Annotation.objects.exists()
    assert Import.objects.get().state == ImportState.WAITING


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


def test_what_cannot_be_is_said_and_nothing_is_made(crew: Crew, tmp_path: Path) -> None:
    for arguments, said in (
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
    ):
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
