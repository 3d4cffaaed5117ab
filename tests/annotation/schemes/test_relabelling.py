"""What a new version does to answers and to what is settled."""

import json
from html import unescape
from itertools import pairwise

import pytest

from annotation.models import Annotation, Gold, PastGold, Revision
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.agreement.answers import AnswerVersion, agreement_data
from annotation.services.adjudication import gold_accept_unanimous
from annotation.services.answers import AnswerChange, AnswerOutdated, annotation_save
from annotation.services.formats.file_imports import import_undo
from annotation.services.projects import ProjectAct
from annotation.services.tasks import tasks_take
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.formats.test_imports import exported, record
from tests.annotation.formats.test_undoing_imports import bring
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.annotation.schemes.scheme_page import SchemePage


@pytest.fixture
def page(crew: Crew) -> SchemePage:
    """The page of a project with a disputed and a settled caption."""
    disputed_first(crew)
    agreed_second(crew)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    return SchemePage(crew)


def drawn(crew: Crew, number: int = 0) -> list[tuple[int, int, str]]:
    """What Ann drew in a caption, as it stands."""
    spans = Annotation.objects.get(item=crew.items[number], user=crew.ann).spans
    return [(span["token_start"], span["token_end"], span["label"]) for span in spans]


def told(page: SchemePage, **changed: str) -> str:
    """The preview as text, with single spaces."""
    response = page.send("preview", **changed)
    assert response.status_code == 200, response.content.decode()
    text = unescape(response.content.decode()).replace("</td><td", "</td> <td")
    for start, end in pairwise("<>"):
        while start in text:
            before, rest = text.split(start, 1)
            text = before + " " + rest.split(end, 1)[1]
    return " ".join(text.split())


def name(page: SchemePage, label: str, field: str, value: str) -> dict[str, str]:
    """A field of a label's row."""
    return {f"{page.row(label)}{field}": value}


def test_a_renamed_label_is_renamed_in_every_answer_and_in_what_is_settled(
    crew: Crew, page: SchemePage
) -> None:
    changed = name(page, "HOW", "name", "ACTION")
    text = told(page, **changed)
    assert '"HOW" was renamed to "ACTION".' in text
    # Ann has three, Bob two; the second caption is settled.
    assert "HOW ACTION 5 2 2 1" in text
    page.publish(**changed)
    assert drawn(crew) == [(1, 1, "WHO"), (2, 2, "ACTION"), (3, 3, "ACTION"), (4, 6, "WHERE")]
    gold = Gold.objects.get()
    assert gold.labels[:3] == ["O", "WHAT", "ACTION"]
    assert [span["label"] for span in gold.spans] == ["WHAT", "ACTION"]
    case = cases_of(crew.project, [crew.items[1].pk])[0]
    assert not case.outdated
    assert case.past == ()
    assert PastGold.objects.get().labels[2] == "HOW"


def test_a_file_with_imported_answers_has_the_labels_of_now(crew: Crew) -> None:
    """Lines that nobody changed come out as they came in, but never with labels of before."""
    bring(crew.project, record("x", (1, 1, "WHAT"), (2, 2, "WHO")), record("y", (1, 1, "HOW")))
    before = exported(crew.project)
    page = SchemePage(crew)
    page.publish(**name(page, "WHO", "title", "Source"))
    assert exported(crew.project) == before, "only a title changed"
    page.publish(**name(page, "WHO", "name", "SOURCE"), **name(page, "HOW", "fate", "removed"))
    rows = [json.loads(line) for line in exported(crew.project).splitlines()]
    labels = [[span["label"] for span in row["spans"]] for row in rows]
    assert labels == [["WHAT", "SOURCE"], []]
    assert rows[0]["_session_id"] == "x"


def test_the_history_of_an_answer_keeps_what_was_given(crew: Crew, page: SchemePage) -> None:
    published = crew.project.scheme
    page.publish(**name(page, "HOW", "name", "ACTION"))
    revision = Revision.objects.filter(annotation__user=crew.ann).first()
    assert revision is not None
    assert [span["label"] for span in revision.spans] == ["WHO", "HOW", "HOW", "WHERE"]
    assert revision.scheme == published
    assert set(Annotation.objects.values_list("scheme", "version")) == {(published.pk, 1)}


def test_a_merged_label_goes_into_another_and_agreement_follows(
    crew: Crew, page: SchemePage
) -> None:
    changed = name(page, "WHEN", "fate", "into:HOW")
    assert "WHEN HOW 1 1 1 0" in told(page, **changed)
    page.publish(**changed)
    assert "WHEN" not in crew.project.scheme.names
    assert cases_of(crew.project, [crew.items[0].pk])[0].disputed == (4, 5, 6)
    for answers in AnswerVersion:
        data = agreement_data(crew.project, answers)
        assert "WHEN" not in data.names
        assert data.changed == 0


def test_a_removed_label_leaves_words_without_one(crew: Crew, page: SchemePage) -> None:
    changed = name(page, "WHAT", "fate", "removed")
    assert "WHAT No label 2 1 2 1" in told(page, **changed)
    page.publish(**changed)
    assert drawn(crew, 1) == [(2, 2, "HOW")]
    assert Gold.objects.get().labels == ["O", "O", "HOW", "O", "O", "O", "O"]
    assert not cases_of(crew.project, [crew.items[1].pk])[0].outdated


def test_what_cannot_become_of_a_label_is_said(page: SchemePage) -> None:
    for field, value, message in (
        ("fate", "", "Choose what to do with this label: merge it or remove it."),
        ("fate", "into:WHO", "Select a valid choice. into:WHO is not one of the available"),
        ("name", "WHAT", '"WHAT" names a different label in version 1'),
        ("name", "", "This field is required."),
        ("name", "O", '"O" stands for words without a label.'),
        ("name", "a b", '"a b" cannot be used as a name in files.'),
        ("was", "SOMEBODY", "The form does not contain every label."),
    ):
        response = page.send("publish", **{f"label-0-{field}": value})
        assert response.status_code == 422
        assert message in unescape(response.content.decode())


def test_of_an_added_label_somebody_says_what_earlier_answers_are(
    crew: Crew, page: SchemePage
) -> None:
    added = page.add("PITCH", "Pitch")
    assert "4 accepted answers by 2 people to 2 captions were given before it existed." in told(
        page, **added
    )
    response = page.send("publish", **added)
    assert response.status_code == 422
    assert "Choose one of the two." in response.content.decode()
    page.publish(**added, asks_again="no")
    assert crew.project.scheme.names[-1] == "PITCH"
    assert Annotation.objects.counting().count() == 4
    assert len(agreement_data(crew.project).captions) == 2


def test_answers_asked_for_again_count_once_their_makers_went_through_them(
    crew: Crew, page: SchemePage
) -> None:
    page.publish(**page.add("PITCH", "Pitch"), asks_again="yes")
    assert Annotation.objects.counting().count() == 0
    assert not Gold.objects.exists()
    assert agreement_data(crew.project).captions == ()
    assert set(Annotation.objects.values_list("inventory", flat=True)) == {"aces-13.1"}
    # Nobody else gets them meanwhile; who gave them has them at hand.
    others = tasks_take(project=crew.project, user=crew.judge, count=6, now=NOW, lease=LEASE)
    assert {row.item_id for row in others} == {item.pk for item in crew.items[2:]}
    own = tasks_take(project=crew.project, user=crew.ann, count=2, now=NOW, lease=LEASE)
    assert [row.item_id for row in own] == [item.pk for item in crew.items[:2]]
    for user in (crew.ann, crew.bob):
        label(crew.items[0], user, (1, 1, "PITCH"))
    data = agreement_data(crew.project)
    assert [caption.key for caption in data.captions] == [crew.items[0].pk]
    assert data.changed == 0
    assert {row.counts for row in Annotation.objects.filter(item=crew.items[0])} == {True}


def test_answers_of_sessions_that_are_asked_for_again_wait_for_nobody(crew: Crew) -> None:
    """Who cannot log in cannot go through them; taken back, a file leaves no assignment behind."""
    page, item = SchemePage(crew), crew.items[0]
    sessions = [{**record(name, (1, 1, "WHO")), "text": item.text} for name in "xyz"]
    found = bring(crew.project, *sessions)
    page.publish(**page.add("PITCH", "Pitch"), asks_again="yes")
    assert not item.assignments.exclude(user=None, done=False).exists()
    import_undo(record=found, act=ProjectAct(crew.manager, NOW))
    item.refresh_from_db()
    assert item.copies == item.assignments.count() == 2


def change(scheme: str, labels: str, edit: str = "late-edit") -> AnswerChange:
    spans = [{"token_start": 1, "token_end": 1, "label": labels}]
    return AnswerChange(edit=edit, base=0, spans=spans, scheme=scheme)


def test_an_answer_of_a_page_with_the_labels_of_before_is_read_by_them(
    crew: Crew, page: SchemePage
) -> None:
    page.publish(**name(page, "WHAT", "name", "SOURCE"))
    item = crew.items[3]
    save = {"item": item, "user": crew.ann, "now": NOW}
    kept = annotation_save(change=change("aces-13.1", "WHAT"), **save)  # type: ignore[arg-type]
    assert [span["label"] for span in kept.spans] == ["SOURCE"]
    assert kept.counts
    revision = kept.revisions.get()
    assert revision.spans[0]["label"] == "WHAT"
    assert revision.scheme == kept.scheme == crew.project.scheme.previous
    again = annotation_save(change=change("aces-13.1", "WHAT"), **save)  # type: ignore[arg-type]
    assert again.version == 1
    with pytest.raises(AnswerOutdated):
        annotation_save(change=change("aces-13.1", "WHAT", "other-edit"), **save)  # type: ignore[arg-type]


def test_an_answer_of_before_that_comes_after_it_was_asked_for_again_waits(
    crew: Crew, page: SchemePage
) -> None:
    page.publish(**page.add("PITCH", "Pitch"), asks_again="yes")
    late = change("aces-13.1", "WHAT")
    kept = annotation_save(item=crew.items[3], user=crew.ann, change=late, now=NOW)
    assert (kept.counts, kept.inventory) == (False, "aces-13.1")


def test_labels_of_a_closed_project_stay(crew: Crew, page: SchemePage) -> None:
    crew.project.closed = True
    crew.project.save()
    changed = name(page, "HOW", "name", "ACTION")
    assert "This project is closed, so its answers cannot change." in told(page, **changed)
    assert page.send("publish", **changed).status_code == 422
    page.publish(**name(page, "HOW", "title", "Action"))
    assert drawn(crew, 1) == [(1, 1, "WHAT"), (2, 2, "HOW")]


def test_offered_labels_follow(crew: Crew) -> None:
    crew.project.offered = ["WHO", "WHAT", "HOW"]
    crew.project.save()
    page = SchemePage(crew)
    page.publish(
        **name(page, "HOW", "name", "ACTION"),
        **name(page, "WHAT", "fate", "into:WHEN"),
        **page.add("PITCH", "Pitch"),
    )
    assert crew.project.offered == ["WHO", "ACTION", "WHEN", "PITCH"]
