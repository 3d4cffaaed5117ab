"""Making a project: who may, with which labels, and when none is made."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.forms import sources
from annotation.models import Project, Role, Scheme
from annotation.services.schemes import schemes_load
from leaderboard.models import AuditEvent, Phase, Submission, User
from tests.annotation.conftest import NOW, Crew
from tests.annotation.projects.manage_page import HOSTILE, bring, page, post, show, text_file
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.scored_pages import plain

NEW = {
    "name": "Dogs & cats",
    "copies": "2",
    "share": "20",
    "order": "given",
    "suggestion_threshold": "70",
    "guidelines": "",
}


def make(crew: Crew, user: User | None = None, **data: Any) -> Any:
    scheme = {"scheme": str(crew.project.scheme.pk)}
    return crew.client(user or crew.manager).post("/annotate/new/", {**NEW, **scheme, **data})


def test_a_new_project_has_its_captions_and_its_manager(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": "one dog"}, {"text": "two cats"}))
    assert response["Location"] == "/annotate/dogs-cats/manage/"
    project = Project.objects.get(slug="dogs-cats")
    assert AuditEvent.objects.filter(action="labelling.fill").count() == 1
    assert (project.share, project.items.count()) == (0.2, 2)
    assert project.members.get().role == Role.MANAGER
    assert make(staff)["Location"] == "/annotate/dogs-cats-2/manage/"
    assert make(staff, name="New")["Location"] == "/annotate/new-2/manage/"
    assert make(staff, name="日本")["Location"] == "/annotate/project/manage/"
    # Of no captions it is not said that they were added.
    assert AuditEvent.objects.filter(action="labelling.fill").count() == 1


def test_of_a_file_that_cannot_be_taken_no_project_is_made(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": ""}, {"x": 1}))
    html = response.content.decode()
    assert response.status_code == 422
    assert "None of the captions could be imported. No project was made." in html
    assert "The text is empty." in html
    assert "All other lines were imported" not in html
    assert "Nothing was imported from this file." in html
    assert Project.objects.count() == 1
    assert not AuditEvent.objects.exists()


def test_values_that_cannot_be_are_refused(staff: Crew) -> None:
    for wrong in ({"name": " "}, {"copies": "x"}, {"scheme": "0"}, {"phase": "1"}):
        assert make(staff, None, **wrong).status_code == 422
    assert Project.objects.count() == 1


def test_labels_of_another_scheme_are_refused_and_not_forgotten(staff: Crew) -> None:
    found = {scheme.slug: scheme for scheme in schemes_load()}
    thirteen, ten = found["aces-13"], found["aces-10"]
    chosen: dict[str, Any] = {f"offered-{thirteen.pk}": ["WHO", "WHAT/WHERE"]}
    response = make(staff, scheme=str(ten.pk), **chosen)
    assert response.status_code == 422
    html = response.content.decode()
    assert f"has the labels of {ten.title} chosen above. Choose some" in plain(html)
    assert re.search(r'value="WHAT/WHERE"[^>]*checked', html)
    assert not Project.objects.filter(slug="dogs-cats").exists()
    unknown: dict[str, Any] = {f"offered-{thirteen.pk}": ["NOISE"]}
    wrong = make(staff, **unknown)
    assert wrong.status_code == 422


def own_labels(crew: Crew) -> Scheme:
    """Give the crew's project labels of its own."""
    scheme = Scheme.objects.create(
        slug="ours", title="Ours", labels=crew.project.scheme.labels[:2], published=False
    )
    Project.objects.filter(pk=crew.project.pk).update(scheme=scheme)
    return scheme


def test_labels_of_a_project_that_one_manages_begin_another(staff: Crew) -> None:
    """They are a copy: what becomes of them here changes nothing there."""
    ours = own_labels(staff)
    key = f"project-{staff.project.pk}"
    assert (
        "Ours, version 1, of Project 0"
        in staff.client(staff.manager).get("/annotate/new/").content.decode()
    )
    make(staff, scheme=key)
    made = Project.objects.get(slug="dogs-cats").scheme
    assert (made.labels, made.title, made.published) == (ours.labels, "Ours", False)
    assert (made.slug, made.version, made.made_by) == ("dogs-cats", 1, staff.manager)
    User.objects.filter(pk=staff.outsider.pk).update(is_staff=True)
    staff.project.members.create(user=staff.outsider, name="x")
    assert make(staff, staff.outsider, scheme=key).status_code == 422


def test_labels_come_from_a_file_with_its_faults_by_line(staff: Crew) -> None:
    def sent(content: str) -> Any:
        file = SimpleUploadedFile("labels.yaml", content.encode())
        return make(staff, scheme="file", scheme_file=file)

    good = "title: Two\nlabels:\n- {name: CAT, tone: 1}\n- {name: DOG, tone: 2}\n"
    refused = sent(good.replace("DOG", "CAT").replace("tone: 1", "tone: red"))
    assert refused.status_code == 422
    told = plain(refused.content.decode())
    assert 'Line 3: tone "red" is not a colour.' in told
    assert "Line 4, name:" in told
    assert "Choose the file with the labels." in make(staff, scheme="file").content.decode()
    assert Project.objects.count() == 1
    assert sent(good)["Location"] == "/annotate/dogs-cats/manage/"
    made = Project.objects.get(slug="dogs-cats").scheme
    assert (made.names, made.title, made.published) == (("CAT", "DOG"), "Two", False)


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


@pytest.fixture
def two_listed(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """Five systems of a phase, of which the latest two are listed."""
    monkeypatch.setattr(sources, "LISTED", 2)
    team = TeamFactory(name="The Finches")
    names = ("Wren one", "Wren two", "Wren three", "Owl <b>", "Lynx")
    return [submit(phase, team, name=name) for name in names]


def test_of_many_systems_the_latest_are_listed_and_every_one_can_be_had(
    crew: Crew, two_listed: list[Submission]
) -> None:
    html = show(crew, "captions/")
    (options,) = re.findall(r'<select name="submission".*?</select>', html, re.DOTALL)
    listed = re.findall(r">([^<>]*) \(The Finches\)", options)
    assert listed == ["Lynx", "Owl &lt;b&gt;"]
    assert "Another system" in html
    # By its number, though it is not listed.
    assert post(crew, "captions/", {"submission": str(two_listed[0].pk)}).status_code == 302
    for find in ("wren two", "FINCHES three", two_listed[3].public_id):
        assert post(crew, "captions/", {"find": find}).status_code == 302
    sources_of = {str(item.meta.get("source")) for item in crew.project.items.all()}
    for system in two_listed[:4]:
        assert any(system.public_id in told for told in sources_of)
    assert not any(two_listed[4].public_id in told for told in sources_of)


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
    of_it = ({"submission": str(submission.pk)}, {"find": submission.public_id})
    for wrong in ({"phase": str(foreign.pk)}, *of_it):
        assert post(crew, "captions/", wrong).status_code == 422
    assert crew.project.items.count() == 4
