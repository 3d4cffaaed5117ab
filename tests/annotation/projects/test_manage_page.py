"""Running a project: who may, what it shows, what it does, and what it refuses."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Annotation, Member, Project, Role, Scheme
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.formats.imports import file_read, records_import
from annotation.services.labels import schemes_load
from annotation.services.tasks import tasks_take
from leaderboard.models import AuditEvent, Phase, User
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.factories import PhaseFactory, TeamFactory, UserFactory, submit
from tests.leaderboard.scored_pages import plain

HOSTILE = "<script>alert(1)</script> & “x”"
SETTINGS = {
    "name": "New name",
    "copies": "3",
    "share": "40",
    "order": "random",
    "guidelines": "*so*",
}


def page(crew: Crew, part: str = "") -> str:
    return f"/annotate/{crew.project.slug}/manage/{part}"


def show(crew: Crew) -> str:
    response = crew.client(crew.manager).get(page(crew))
    assert response.status_code == 200
    return response.content.decode()


def row_of(html: str, member: Member) -> str:
    return html[html.index(f'id="member-{member.pk}"') :].partition("</tr>")[0]


def numbers_in(row: str) -> list[int]:
    return [int(found) for found in re.findall(r'<td class="num">(\d+)</td>', row)]


def post(crew: Crew, part: str, data: dict[str, Any], user: User | None = None) -> Any:
    return crew.client(user or crew.manager).post(page(crew, part), data)


def text_file(*rows: dict[str, Any], name: str = "x.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(json.dumps(row) for row in rows).encode())


POSTS: list[tuple[str, dict[str, Any]]] = [
    ("settings/", SETTINGS),
    ("state/", {"closed": "yes"}),
    ("captions/", {}),
    ("members/", {"username": "x", "role": "annotator"}),
    ("members/1/", {"role": "manager"}),
]


@pytest.mark.parametrize("who", ["nobody", "outsider", "ann", "judge"])
def test_only_managers_see_it_and_do_anything(crew: Crew, who: str) -> None:
    user = None if who == "nobody" else getattr(crew, who)
    code = 302 if user is None else 404
    before = Project.objects.values().get(), list(Member.objects.values())
    assert crew.client(user).get(page(crew)).status_code == code
    for part, data in POSTS:
        response = crew.client(user).post(page(crew, part), data)
        assert response.status_code == code, part
        if user is None:
            assert "/accounts/login/" in response["Location"]
    assert before == (Project.objects.values().get(), list(Member.objects.values()))


def test_a_superuser_runs_every_project(crew: Crew) -> None:
    assert crew.client(UserFactory(is_superuser=True)).get(page(crew)).status_code == 200


def test_it_shows_people_with_their_work(crew: Crew, django_assert_max_num_queries: Any) -> None:
    tasks_take(project=crew.project, user=crew.bob, count=3, now=NOW, lease=LEASE * 1e6)
    for item in crew.items[:2]:
        change = AnswerChange(f"edit-{item.pk}", 0, [], flagged=True, comment=HOSTILE)
        annotation_save(item=item, user=crew.ann, change=change, now=NOW)
    client = crew.client(crew.manager)
    with django_assert_max_num_queries(24):
        html = client.get(page(crew)).content.decode()
    ann = row_of(html, crew.project.members.get(user=crew.ann))
    # Answers, today, rejected or skipped, flagged, at hand.
    assert numbers_in(ann) == [2, 0, 0, 2, 0]
    assert "2026-03-01 12:00" in ann
    assert numbers_in(row_of(html, crew.project.members.get(user=crew.bob))) == [0, 0, 0, 0, 3]
    assert "Flagged" in html
    assert "0 of 4" in html
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; “x”" in html


def test_the_same_page_of_many_captions_costs_no_more_queries(
    crew: Crew, django_assert_max_num_queries: Any
) -> None:
    client = crew.client(crew.manager)
    client.get(page(crew))
    for user in (crew.ann, crew.bob):
        for item in crew.items:
            change = AnswerChange(f"edit-{item.pk}", 0, [], flagged=True)
            annotation_save(item=item, user=user, change=change, now=NOW)
    with django_assert_max_num_queries(24):
        client.get(page(crew))


def test_captions_and_names_are_shown_as_text(crew: Crew) -> None:
    rows = [{"text": HOSTILE, "spans": [], "_session_id": HOSTILE, "flagged": True}]
    file = SimpleUploadedFile("x.jsonl", json.dumps(rows[0]).encode())
    report = records_import(project=crew.project, records=file_read(file, "x"), now=NOW)
    assert report.annotations == 1
    html = show(crew)
    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;alert") >= 3
    assert "from a file" in html


def test_people_are_let_in_by_user_name_and_given_other_roles(crew: Crew) -> None:
    data = {"username": crew.outsider.username, "role": "annotator"}
    assert post(crew, "members/", data).status_code == 302
    member = crew.project.members.get(user=crew.outsider)
    assert (member.role, member.name) == ("annotator", crew.outsider.username)
    post(crew, f"members/{member.pk}/", {"role": "adjudicator"})
    member.refresh_from_db()
    assert member.role == "adjudicator"
    post(crew, f"members/{member.pk}/", {"role": "emperor"})
    member.refresh_from_db()
    assert member.role == "adjudicator"
    post(crew, f"members/{member.pk}/", {"remove": "yes", "role": "manager"})
    assert not crew.project.members.filter(user=crew.outsider).exists()
    html = show(crew)
    for said in (f"made {crew.outsider} annotator", f"removed {crew.outsider}"):
        assert said in html


@pytest.mark.parametrize("name", ["nobody", "", "INACTIVE"])
def test_who_is_not_there_is_not_let_in(crew: Crew, name: str) -> None:
    UserFactory(username="INACTIVE", is_active=False)
    response = post(crew, "members/", {"username": name, "role": "annotator"})
    assert response.status_code == 422
    assert crew.project.members.count() == 4


def test_a_name_that_a_session_of_a_file_has_is_not_taken_twice(crew: Crew) -> None:
    Member.objects.filter(user=crew.ann).update(name=crew.outsider.username)
    data = {"username": crew.outsider.username, "role": "annotator"}
    assert post(crew, "members/", data).status_code == 302
    assert crew.project.members.get(user=crew.outsider).name == f"{crew.outsider.username} 2"


def test_the_last_manager_stays(crew: Crew) -> None:
    member = crew.project.members.get(user=crew.manager)
    for data in ({"role": "annotator"}, {"remove": "yes"}):
        response = crew.client(crew.manager).post(
            page(crew, f"members/{member.pk}/"), data, follow=True
        )
        assert "Make someone else manager first." in response.content.decode()
    post(crew, "members/", {"username": crew.manager.username, "role": "annotator"})
    member.refresh_from_db()
    assert member.role == Role.MANAGER
    # With a second one the first can go, and then is not sent to a page that is closed to them.
    post(crew, "members/", {"username": crew.ann.username, "role": "manager"})
    response = post(crew, f"members/{member.pk}/", {"role": "annotator"})
    assert response["Location"] == "/annotate/"


def test_members_of_other_projects_are_out_of_reach(crew: Crew) -> None:
    other = Project.objects.create(slug="other", name="Other", scheme=crew.project.scheme)
    member = Member.objects.create(project=other, user=crew.outsider, name="x")
    assert post(crew, f"members/{member.pk}/", {"remove": "yes"}).status_code == 404
    assert Member.objects.filter(pk=member.pk).exists()


def test_settings_are_saved_and_leave_captions_as_they_are(crew: Crew) -> None:
    response = post(crew, "settings/", {**SETTINGS, "offered": ["WHO", "WHAT/WHERE"]})
    assert response.status_code == 302
    project = Project.objects.get()
    assert (project.name, project.copies, project.share) == ("New name", 3, 0.4)
    assert (project.order, project.guidelines) == ("random", "*so*")
    assert [label.name for label in project.labels] == ["WHO", "WHAT/WHERE"]
    assert {item.copies for item in project.items.all()} == {2}
    checked = re.findall(r'value="([^"]+)"[^>]* checked', show(crew))
    assert checked == ["WHO", "WHAT/WHERE"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "a\u202eb"},
        {"copies": "0"},
        {"share": "101"},
        {"order": "alphabetical"},
        {"offered": ["NOISE"]},
    ],
)
def test_settings_that_cannot_be_are_refused_and_nothing_changes(
    crew: Crew, wrong: dict[str, Any]
) -> None:
    before = Project.objects.values().get()
    response = post(crew, "settings/", {**SETTINGS, **wrong})
    assert response.status_code == 422
    assert f"<h1>{crew.project.name}</h1>" in response.content.decode()
    assert Project.objects.values().get() == before


def test_a_project_is_closed_and_opened_again(crew: Crew) -> None:
    post(crew, "state/", {"closed": "yes"})
    assert Project.objects.get().closed
    assert "Open again" in show(crew)
    post(crew, "state/", {"closed": "no"})
    assert not Project.objects.get().closed
    actions = AuditEvent.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["labelling.close", "labelling.reopen"]


def test_a_file_comes_in_with_a_report_of_what_was_left_out(crew: Crew) -> None:
    rows: list[dict[str, Any]] = [
        {"text": "one dog"},
        {"text": "", "x": HOSTILE},
        {"text": "a", "spans": [HOSTILE]},
    ]
    response = post(crew, "captions/", {"file": text_file(*rows)})
    html = response.content.decode()
    assert response.status_code == 200
    assert "Left out: 2 records" in html
    assert "The text is empty." in html
    assert "<script>alert" not in html
    assert crew.project.items.count() == 5
    again = post(crew, "captions/", {"file": text_file(rows[0])})
    assert again.status_code == 302
    assert crew.project.items.count() == 5
    assert crew.client(crew.manager).get(page(crew, "captions/"))["Location"] == page(crew)
    assert "added 1 caption and 0 annotations from x.jsonl" in show(crew)


def test_labels_of_another_scheme_are_turned_into_those_of_the_project(crew: Crew) -> None:
    from annotation.services.labels import schemes_load

    crew.project.scheme = schemes_load()[0]
    crew.project.save()
    span = {"token_start": 0, "token_end": 0, "label": "HOW_PROPERTY"}
    row = {"text": "slowly", "spans": [span], "_session_id": "x"}
    response = post(crew, "captions/", {"file": text_file(row), "map_from": "aces-13"})
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


@pytest.fixture
def phase(crew: Crew) -> Phase:
    """A phase with hidden references that the manager organises."""
    found: Phase = PhaseFactory(references_public=False)
    found.challenge.organisers.add(crew.manager)
    return found


def test_references_come_in_for_those_who_organise_the_phase(crew: Crew, phase: Phase) -> None:
    assert "(hidden references)" in show(crew)
    clips = phase.reference_set.clip_count  # type: ignore[union-attr]
    post(crew, "captions/", {"phase": str(phase.pk), "one_each": "on"})
    assert crew.project.items.count() == 4 + clips
    post(crew, "captions/", {"phase": str(phase.pk)})
    assert crew.project.items.count() == 4 + phase.reference_set.caption_count  # type: ignore[union-attr]
    meta = crew.project.items.last().meta  # type: ignore[union-attr]
    assert meta["file_name"]
    assert meta["source"] == phase.reference_set.name  # type: ignore[union-attr]


def test_captions_of_a_system_come_in(crew: Crew, phase: Phase) -> None:
    submission = submit(phase, TeamFactory())
    response = post(crew, "captions/", {"submission": str(submission.pk)})
    assert response.status_code == 302
    assert crew.project.items.count() > 4


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
    html = show(crew)
    assert str(foreign.challenge) not in html
    for wrong in ({"phase": str(foreign.pk)}, {"submission": str(submission.pk)}):
        assert post(crew, "captions/", wrong).status_code == 422
    assert crew.project.items.count() == 4


NEW = {"name": "Dogs & cats", "copies": "2", "share": "20", "order": "given", "guidelines": ""}


def make(crew: Crew, user: User | None = None, **data: Any) -> Any:
    scheme = {"scheme": str(crew.project.scheme.pk)}
    return crew.client(user or crew.manager).post("/annotate/new/", {**NEW, **scheme, **data})


@pytest.fixture
def staff(crew: Crew) -> Crew:
    crew.manager.is_staff = True
    crew.manager.save()
    return crew


def test_projects_are_started_by_staff_and_organisers_alone(crew: Crew, phase: Phase) -> None:
    for user in (crew.outsider, crew.ann):
        assert crew.client(user).get("/annotate/new/").status_code == 404
        assert make(crew, user).status_code == 404
    assert crew.client(None).get("/annotate/new/").status_code == 302
    assert crew.client(crew.manager).get("/annotate/new/").status_code == 200
    assert Project.objects.count() == 1


def test_a_new_project_has_its_captions_and_its_manager(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": "one dog"}, {"text": "two cats"}))
    assert response["Location"] == "/annotate/dogs-cats/manage/"
    project = Project.objects.get(slug="dogs-cats")
    assert (project.share, project.items.count()) == (0.2, 2)
    assert project.members.get().role == Role.MANAGER
    assert make(staff)["Location"] == "/annotate/dogs-cats-2/manage/"
    assert make(staff, name="New")["Location"] == "/annotate/new-2/manage/"
    assert make(staff, name="日本")["Location"] == "/annotate/project/manage/"


def test_of_a_file_that_cannot_be_taken_no_project_is_made(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": ""}, {"x": 1}))
    html = response.content.decode()
    assert response.status_code == 422
    assert "None of the captions could be taken. Nothing was made." in html
    assert "The text is empty." in html
    assert Project.objects.count() == 1
    assert not AuditEvent.objects.exists()


def test_values_that_cannot_be_are_refused(staff: Crew) -> None:
    for wrong in ({"name": " "}, {"copies": "x"}, {"scheme": "0"}, {"phase": "1"}):
        assert make(staff, None, **wrong).status_code == 422
    assert Project.objects.count() == 1


def test_who_runs_a_project_finds_the_way(crew: Crew, phase: Phase) -> None:
    managers = crew.client(crew.manager).get("/annotate/").content.decode()
    assert page(crew) in managers
    assert "/annotate/new/" in managers
    annotators = crew.client(crew.ann).get("/annotate/").content.decode()
    assert page(crew) not in annotators
    assert "/annotate/new/" not in annotators
    # Before their first project, too.
    phase.challenge.organisers.add(crew.outsider)
    assert 'href="/annotate/"' in crew.client(crew.outsider).get("/").content.decode()
    assert 'href="/annotate/"' not in crew.client(None).get("/").content.decode()


def schemes() -> tuple[Scheme, Scheme]:
    """Give those of thirteen and of ten labels."""
    found = {scheme.slug: scheme for scheme in schemes_load()}
    return found["aces-13"], found["aces-10"]


def test_labels_are_chosen_where_the_project_is_made(staff: Crew) -> None:
    ten = schemes()[1]
    chosen: dict[str, Any] = {f"offered-{ten.pk}": ["WHO", "WHAT"]}
    make(staff, scheme=str(ten.pk), **chosen)
    project = Project.objects.get(slug="dogs-cats")
    assert (project.scheme, project.offered) == (ten, ["WHO", "WHAT"])
    assert [label.name for label in project.labels] == ["WHO", "WHAT"]


def test_labels_of_another_scheme_are_refused_and_not_forgotten(staff: Crew) -> None:
    thirteen, ten = schemes()
    chosen: dict[str, Any] = {f"offered-{thirteen.pk}": ["WHO", "WHAT/WHERE"]}
    response = make(staff, scheme=str(ten.pk), **chosen)
    assert response.status_code == 422
    html = response.content.decode()
    assert f"The project has the labels of {ten.title}. Choose among those" in plain(html)
    assert re.search(r'value="WHAT/WHERE"[^>]*checked', html)
    assert not Project.objects.filter(slug="dogs-cats").exists()
    unknown: dict[str, Any] = {f"offered-{thirteen.pk}": ["NOISE"]}
    wrong = make(staff, **unknown)
    assert wrong.status_code == 422


def test_guidelines_have_a_limit_that_is_told(staff: Crew) -> None:
    response = post(staff, "settings/", {**SETTINGS, "guidelines": "a" * 20_001})
    assert response.status_code == 422
    told = "The guidelines have 20001 characters, and at most 20000 are allowed."
    assert told in plain(response.content.decode())
    assert "a" * 20_001 in response.content.decode()
    assert post(staff, "settings/", {**SETTINGS, "guidelines": "a" * 20_000}).status_code == 302
