"""Captions added on a project's page: files, references and systems, and what is refused."""

import re
from datetime import timedelta
from typing import Any

import pytest

from annotation.forms import sources
from annotation.models import Annotation
from annotation.services.labels import schemes_load
from leaderboard.models import Phase, Submission
from tests.annotation.conftest import NOW, Crew
from tests.annotation.projects.manage_page import HOSTILE, bring, page, post, show, text_file
from tests.factories import PhaseFactory, TeamFactory, submit


def test_a_file_comes_in_with_a_report_of_what_was_left_out(crew: Crew) -> None:
    rows: list[dict[str, Any]] = [
        {"text": "one dog"},
        {"text": "", "x": HOSTILE},
        {"text": "a", "tokens": [HOSTILE]},
    ]
    response = bring(crew, *rows)
    assert response.status_code == 302
    html = crew.client(crew.manager).get(response["Location"]).content.decode()
    assert "Left out: 2 records" in html
    assert "The text is empty." in html
    assert "<script>alert" not in html
    assert crew.project.items.count() == 5
    again = bring(crew, rows[0])
    assert again["Location"] == page(crew, "files/")
    assert "x.jsonl" in show(crew, "files/")
    assert crew.project.items.count() == 5
    assert "added 1 caption and 0 annotations from x.jsonl" in show(crew)


def test_labels_of_another_scheme_are_turned_into_those_of_the_project(crew: Crew) -> None:
    crew.project.scheme = schemes_load()[0]
    crew.project.save()
    span = {"token_start": 0, "token_end": 0, "label": "HOW_PROPERTY"}
    row = {"text": "slowly", "spans": [span], "_session_id": "x"}
    response = bring(crew, row, map_from="aces-13")
    assert response.status_code == 302
    assert Annotation.objects.get().spans[0]["label"] == "HOW"
    # A scheme from which nothing is known is not offered.
    assert post(crew, "captions/", {"file": text_file(row), "map_from": "x"}).status_code == 422


def test_nothing_chosen_and_too_large_files_are_refused(crew: Crew, settings: Any) -> None:
    response = post(crew, "captions/", {"one_each": "on"})
    assert response.status_code == 422
    assert "Choose references, a system or a file." in response.content.decode()
    settings.MAX_UPLOAD_BYTES = 10
    response = post(crew, "captions/", {"file": text_file({"text": "one dog"})})
    assert response.status_code == 422
    assert "larger than" in response.content.decode()


def test_references_come_in_for_those_who_organise_the_phase(crew: Crew, phase: Phase) -> None:
    assert "(hidden references)" in show(crew, "captions/")
    clips = phase.reference_set.clip_count  # type: ignore[union-attr]
    post(crew, "captions/", {"phase": str(phase.pk), "one_each": "on"})
    assert crew.project.items.count() == 4 + clips
    post(crew, "captions/", {"phase": str(phase.pk)})
    assert crew.project.items.count() == 4 + phase.reference_set.caption_count  # type: ignore[union-attr]
    meta = crew.project.items.last().meta  # type: ignore[union-attr]
    assert meta["file_name"]
    assert meta["source"] == phase.reference_set.name  # type: ignore[union-attr]


def test_references_come_in_at_once_beside_a_file_that_waits(crew: Crew, phase: Phase) -> None:
    chosen = {"file": text_file({"text": "one cat"}), "phase": str(phase.pk), "one_each": "on"}
    assert "/manage/imports/" in post(crew, "captions/", chosen)["Location"]
    clips = phase.reference_set.clip_count  # type: ignore[union-attr]
    assert crew.project.items.count() == 4 + clips


def test_captions_of_a_system_come_in(crew: Crew, phase: Phase) -> None:
    submission = submit(phase, TeamFactory())
    response = post(crew, "captions/", {"submission": str(submission.pk)})
    assert response.status_code == 302
    assert crew.project.items.count() > 4


@pytest.fixture
def two_listed(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """Five systems of a phase, of which the latest two are listed."""
    monkeypatch.setattr(sources, "LISTED", 2)
    team = TeamFactory(name="The Finches")
    names = ("Wren one", "Wren two", "Wren three", "Owl <b>", "Lynx")
    return [submit(phase, team, name=name) for name in names]


def listed_systems(html: str) -> list[str]:
    """The names in the list of systems."""
    (options,) = re.findall(r'<select name="submission".*?</select>', html, re.DOTALL)
    return re.findall(r">([^<>]*) \(The Finches\)", options)


def test_of_many_systems_the_latest_are_listed_and_every_one_can_be_had(
    crew: Crew, two_listed: list[Submission]
) -> None:
    html = show(crew, "captions/")
    assert listed_systems(html) == ["Lynx", "Owl &lt;b&gt;"]
    assert "Another system" in html
    # By its number, though it is not listed.
    assert post(crew, "captions/", {"submission": str(two_listed[0].pk)}).status_code == 302
    for find in ("wren two", "FINCHES three", two_listed[3].public_id):
        assert post(crew, "captions/", {"find": find}).status_code == 302
    sources_of = {str(item.meta.get("source")) for item in crew.project.items.all()}
    for system in two_listed[:4]:
        assert any(system.public_id in told for told in sources_of)
    assert not any(two_listed[4].public_id in told for told in sources_of)


def test_systems_that_fit_are_listed_to_choose_from(
    crew: Crew, two_listed: list[Submission]
) -> None:
    response = post(crew, "captions/", {"find": "owl finches"})
    assert response.status_code == 302
    count = crew.project.items.count()
    for find, said, names in (
        ("wren t", "2 systems fit.", ["Wren three", "Wren two"]),
        ("wren", "More than 2 systems fit.", ["Wren three", "Wren two"]),
        ("ibis", "No system fits.", ["Lynx", "Owl &lt;b&gt;"]),
    ):
        response = post(crew, "captions/", {"find": find})
        html = response.content.decode()
        assert (response.status_code, listed_systems(html)) == (422, names)
        assert said in html
        assert f'value="{find}"' in html
    assert crew.project.items.count() == count
    # What is chosen counts, whatever is looked for, and stays chosen where something else is wrong.
    chosen = {"find": "wren", "submission": str(two_listed[1].pk)}
    wrong = post(crew, "captions/", {**chosen, "map_from": "x"})
    assert wrong.status_code == 422
    assert listed_systems(wrong.content.decode())[0] == "Wren two"
    assert f'value="{two_listed[1].pk}" selected' in wrong.content.decode()
    assert post(crew, "captions/", chosen).status_code == 302


def test_systems_of_others_are_not_found(crew: Crew, two_listed: list[Submission]) -> None:
    foreign = submit(PhaseFactory(references_public=False), TeamFactory(), name="Godwit")
    for find in ("godwit", foreign.public_id):
        response = post(crew, "captions/", {"find": find})
        assert response.status_code == 422
        assert "No system fits." in response.content.decode()


def test_captions_of_a_system_name_nobody_where_names_are_kept_back(
    crew: Crew, phase: Phase
) -> None:
    """Who labels them may be a rival, and is told the address of the system with them."""
    phase.names_hidden_until = NOW + timedelta(days=400)
    phase.save()
    submission = submit(phase, TeamFactory(), name="Net of the godwits")
    post(crew, "captions/", {"submission": str(submission.pk)})
    metas = [item.meta for item in crew.project.items.all() if "source" in item.meta]
    brought = [meta for meta in metas if submission.public_id in meta["source"]]
    assert brought
    assert "godwit" not in str(metas)
    Phase.objects.filter(pk=phase.pk).update(names_hidden_until=NOW - timedelta(days=400))
    count = crew.project.items.count()
    post(crew, "captions/", {"submission": str(submission.pk)})
    assert crew.project.items.count() == count, "once names are told the same are no others"


def test_hidden_references_and_systems_of_others_cannot_be_had(crew: Crew) -> None:
    """Neither by the list of the form nor by their numbers."""
    foreign: Phase = PhaseFactory(references_public=False)
    submission = submit(foreign, TeamFactory())
    html = show(crew, "captions/")
    assert str(foreign.challenge) not in html
    for wrong in ({"phase": str(foreign.pk)}, {"submission": str(submission.pk)}):
        assert post(crew, "captions/", wrong).status_code == 422
    assert crew.project.items.count() == 4
