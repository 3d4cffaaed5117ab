"""A project of sounds from its form to its files, and what each person is shown of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import SOUNDS_PAGE
from annotation.models import Annotation, Project, Sound
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, browser
from tests.annotation.kinds.conftest import ANSWERS, ON_SOUNDS, VERSIONS, Workshop, make_workshop
from tests.annotation.projects.manage_page import HOSTILE
from tests.leaderboard.scored_pages import text
from tests.sounds import wav, zipped

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(params=ON_SOUNDS)
def workshop(request: pytest.FixtureRequest, db: None) -> Workshop:
    """A project of each kind on sounds in turn."""
    return make_workshop(request.param)


def form(kind: str, **changed: Any) -> dict[str, Any]:
    limits = {"least": 8, "most": 20}
    options = {"write": limits, "edit": limits, "rate": {"keep": 5}}[kind]
    base = {"name": "Street sounds", "copies": 5, "order": "random", "guidelines": "Listen."}
    return base | options | changed


def page_of(workshop: Workshop, path: str, user: User | None = None) -> str:
    client = workshop.client(user or workshop.manager)
    response = client.get(f"/annotate/{workshop.project.slug}/{path}")
    assert response.status_code == 200, path
    return response.content.decode()


def answer(workshop: Workshop, user: User, at: int = 0, **change: Any) -> Annotation:
    value = ANSWERS[workshop.project.kind][0]
    whole: dict[str, Any] = {"edit": f"edit-{user.pk}-{at}", "base": 0, "value": value} | change
    return annotation_save(
        item=workshop.items[at], user=user, change=AnswerChange(**whole), now=NOW
    )


def bring(project: Project, user: User, tmp_path: Path, files: dict[str, bytes]) -> Any:
    client = browser(user)
    data = {"file": SimpleUploadedFile("x.zip", zipped(files, tmp_path / "x.zip").read_bytes())}
    return client.post(f"/annotate/{project.slug}/manage/sounds/", data)


@pytest.mark.parametrize("kind", ON_SOUNDS)
def test_who_may_make_projects_makes_one_of_each_kind_and_brings_sounds(
    db: None, tmp_path: Path, kind: str
) -> None:
    staff = User.objects.create_user("sam", is_staff=True)
    client = browser(staff)
    listed = client.get("/annotate/new/").content.decode()
    assert f"/annotate/new/work/{kind}/" in listed
    made = client.post(f"/annotate/new/work/{kind}/", form(kind))
    project = Project.objects.get()
    assert made["Location"] == f"/annotate/{project.slug}/manage/sounds/"
    assert (project.kind, project.copies, project.scheme.labels) == (kind, 5, [])
    files = {"a/rain.wav": wav(), "b/dog.wav": wav(), "notes.txt": b"no sound", ".DS_Store": b""}
    shown = text(bring(project, staff, tmp_path, files).content)
    assert "2 recordings stored" in shown
    assert "notes.txt It is not a sound" in shown
    assert sorted(project.items.values_list("text", flat=True)) == ["dog.wav", "rain.wav"]
    assert project.assignments.count() == 10


@pytest.mark.parametrize(
    "kind", [kind for kind in ANSWERS if kind_named(kind).items_page == SOUNDS_PAGE]
)
def test_a_sound_that_comes_again_takes_the_place_of_its_recording(
    db: None, tmp_path: Path, kind: str
) -> None:
    """A new one becomes an item where items are brought; where a stage feeds them, none."""
    workshop = make_workshop(kind)
    files = {"dog barks.flac": wav(), f"{HOSTILE}.wav": wav()}
    shown = bring(workshop.project, workshop.manager, tmp_path, files)
    assert "<script>alert" not in shown.content.decode()
    assert workshop.project.items.count() == (3 if workshop.project.work_kind.sources else 4)
    assert Sound.objects.filter(file_name="dog barks.wav").count() == 1


def test_managers_see_who_answered_what_what_is_missing_and_what_was_flagged(
    workshop: Workshop,
) -> None:
    kind = workshop.project.work_kind
    answer(workshop, workshop.ann, flagged=True, comment=HOSTILE)
    page = page_of(workshop, "manage/answers/")
    assert "<script>alert" not in page
    said = kind.said(ANSWERS[workshop.project.kind][0])
    for shown in (said, workshop.ann.username, "Accepted, flagged", "1 missing", "2 missing"):
        assert shown in text(page.encode())
    one = kind.items.removesuffix("s")
    answers = f"/annotate/{workshop.project.slug}/manage/answers/"
    assert f'href="{answers}">1 {one} flagged' in page_of(workshop, "manage/")


def test_files_have_what_was_accepted_and_every_answer(workshop: Workshop) -> None:
    answer(workshop, workshop.ann)
    answer(workshop, workshop.bob)
    answer(workshop, workshop.ann, at=1, answer="ignore", value={})
    client = workshop.client(workshop.manager)
    address = f"/annotate/{workshop.project.slug}/manage/answers/"
    table = client.get(f"{address}?format=csv").getvalue().decode().splitlines()
    if workshop.project.kind == "rate":
        head = "file_name,caption_1,caption_2,caption_3"
        assert table == [head, f"rain on a roof.wav,{','.join(VERSIONS)}"]
    else:
        said = workshop.project.work_kind.said(ANSWERS[workshop.project.kind][0])
        assert table == ["file_name,caption_1,caption_2", f"rain on a roof.wav,{said},{said}"]
    lines = client.get(f"{address}?format=jsonl").getvalue().decode().splitlines()
    told = [json.loads(line) for line in lines]
    assert [(row["file_name"], row["answer"]) for row in told] == [
        ("rain on a roof.wav", "accept"),
        ("rain on a roof.wav", "accept"),
        ("dog barks.wav", "ignore"),
    ]
    assert client.get(f"{address}?format=exe").status_code == 404


@pytest.mark.parametrize("kind", ["write", "edit"])
def test_captions_that_a_spreadsheet_would_compute_are_marked(db: None, kind: str) -> None:
    workshop = make_workshop(kind)
    answer(workshop, workshop.ann)
    Annotation.objects.update(value={"text": "=1+1", "heard": True})
    address = f"/annotate/{workshop.project.slug}/manage/answers/?format=csv"
    table = workshop.client(workshop.manager).get(address).getvalue().decode()
    assert ",'=1+1" in table


def test_who_works_sees_own_answers_by_number_and_no_name_of_a_file(workshop: Workshop) -> None:
    answer(workshop, workshop.ann)
    answer(workshop, workshop.ann, base=1, edit="edit-again", flagged=True)
    for path in ("history/", "guidelines/"):
        page = page_of(workshop, path, workshop.ann)
        assert ".wav" not in page
    title = workshop.project.work_kind.shown(workshop.items[0], workshop.ann.pk).text
    assert title in page_of(workshop, "history/", workshop.ann)


GOOD = "rain falls on a roof while birds sing nearby"


@pytest.fixture
def workshop_finding(db: None) -> Workshop:
    made = make_workshop("write")
    for user in (made.ann, made.bob):
        tasks_take(project=made.project, user=user, count=6, now=NOW, lease=LEASE)
    return made


def look(
    workshop_finding: Workshop, text: Any, user: User | None, *, item: int | None = None
) -> Any:
    told = {"item": item or workshop_finding.items[0].pk, "text": text}
    address = f"/api/v1/labelling/{workshop_finding.project.slug}/check"
    return workshop_finding.client(user).post(address, told, content_type="application/json")


def kinds(workshop_finding: Workshop, text: str, **options: Any) -> list[str]:
    told = look(workshop_finding, text, workshop_finding.ann, **options).json()
    return [finding["kind"] for finding in told["findings"]]


def test_what_may_need_another_look_is_found_and_nothing_in_a_good_caption(
    workshop_finding: Workshop,
) -> None:
    assert kinds(workshop_finding, GOOD) == []
    # The page itself counts words.
    assert kinds(workshop_finding, "rain falls") == []
    assert "spelling" in kinds(workshop_finding, GOOD.replace("roof", "roff"))
    for wrong in (None, "rain " * 500, 7):
        assert look(workshop_finding, wrong, workshop_finding.ann).status_code == 422
    # Captions that are labelled are not looked at.
    Project.objects.update(kind="label-words")
    assert look(workshop_finding, GOOD, workshop_finding.ann).status_code == 404


def test_the_text_of_another_sound_is_told_and_that_of_the_same_sound_is_not(
    workshop_finding: Workshop,
) -> None:
    change = AnswerChange(edit="edit-one", base=0, value={"text": GOOD, "heard": True})
    annotation_save(
        item=workshop_finding.items[0], user=workshop_finding.bob, change=change, now=NOW
    )
    assert kinds(workshop_finding, GOOD) == []
    assert kinds(workshop_finding, GOOD, item=workshop_finding.items[1].pk) == ["same_text"]


def test_only_who_has_the_sound_may_ask(workshop_finding: Workshop) -> None:
    codes = [
        look(workshop_finding, GOOD, user).status_code
        for user in (
            None,
            workshop_finding.outsider,
            workshop_finding.manager,
            workshop_finding.ann,
        )
    ]
    assert codes == [401, 404, 200, 200]
