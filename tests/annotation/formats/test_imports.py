"""Files in: nothing lost, nothing twice, nobody's work overwritten."""

import json
import zlib
from io import BytesIO
from typing import Any

import pytest
import srsly  # type: ignore[import-untyped]

from annotation.agreement.label_sets import LabelMapping
from annotation.formats import prodigy
from annotation.models import Annotation, Assignment, Item, Project, Revision
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.schemes import LabelReading, label_mapping
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.formats.imports import ImportReport, ImportRules, file_read, records_import
from annotation.services.projects import ProjectRules, member_add, project_create
from annotation.services.schemes import schemes_load
from annotation.services.tasks import tasks_take
from leaderboard.web.csv_cells import csv_line
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import LEASE, NOW
from tests.factories import UserFactory

DOG = "a big dog barks"


def project_of(scheme: str, slug: str = "imported", **rules: Any) -> Project:
    found = next(one for one in schemes_load() if one.slug == scheme)
    chosen = ProjectRules(**{"copies": 1, **rules})
    return project_create(slug=slug, name=slug, scheme=found, manager=None, rules=chosen)


def bring(
    project: Project, *rows: Any, mapping: LabelMapping | None = None, **rules: Any
) -> ImportReport:
    data = b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    records = file_read(BytesIO(data), "x.jsonl")
    reading = LabelReading() if mapping is None else LabelReading("aces-13", mapping)
    chosen = ImportRules(reading=reading, **rules)
    return records_import(project=project, records=records, now=NOW, rules=chosen)


def exported(project: Project) -> str:
    return "".join(prodigy.write(export_rows(project, ExportSelection()), project.slug))


def record(session: str = "dev-elia", *spans: tuple[int, int, str], **told: Any) -> dict[str, Any]:
    rows = [{"token_start": a, "token_end": b, "label": name} for a, b, name in spans]
    return {"text": DOG, "spans": rows, "_session_id": session, **told}


BAD_SPAN: dict[str, Any] = {
    "text": DOG,
    "tokens": [],
    "spans": [{"start": 2, "end": 5, "label": "HOW"}],
}
BAD_SPAN["spans"] += [{"start": 6, "end": 8, "label": "WHO"}]
DOG_WORDS = {"text": DOG, "tokens": DOG.split()}


def _doc_bin() -> bytes:
    from spacy.lang.en import English
    from spacy.tokens import DocBin, Span

    doc = English()(DOG)
    spans = [Span(doc, 1, 2, "HOW"), Span(doc, 2, 3, "WHO")]
    doc.spans["sc"] = spans
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    message = srsly.msgpack_loads(zlib.decompress(data))
    # The second span from word 2 to before word 9, of four.
    group = message["span_groups"][0]
    ends, further = ((2).to_bytes(4) + end.to_bytes(4) for end in (3, 9))
    message["span_groups"][0] = group.replace(ends, further)
    return zlib.compress(srsly.msgpack_dumps(message))


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.jsonl", json.dumps(BAD_SPAN).encode(), "Span 2 does not begin and end at word"),
        (
            "x.jsonl",
            json.dumps({**DOG_WORDS, "labels": ["O", "HOW", 7, "O"]}).encode(),
            "The label of word 3 is no text.",
        ),
        (
            "x.csv",
            csv_line(["text", "spans"]).encode()
            + csv_line([DOG, json.dumps(BAD_SPAN["spans"])]).encode(),
            "Span 2 does not begin and end at word boundaries.",
        ),
        ("x.spacy", _doc_bin(), "Span 2 runs from word 2 to 8, but the last word is 3."),
    ],
    ids=["prodigy", "hf", "csv", "docbin"],
)
def test_a_span_off_the_words_leaves_the_others_and_an_answer_that_waits(
    db: None, name: str, data: bytes, why: str
) -> None:
    project = project_of("aces-13")
    report = records_import(project=project, records=file_read(BytesIO(data), name), now=NOW)
    assert (report.captions, report.annotations, report.left_out, report.incomplete) == (1, 1, 0, 1)
    (fault,) = report.bad_spans
    assert fault.why.startswith(why)
    assert fault.fix
    row = Annotation.objects.get()
    assert ([span["label"] for span in row.spans], row.counts) == (["HOW"], False)
    assert (row.inventory, row.flagged, why in row.comment) == ("incomplete", True, True)
    assert Assignment.objects.filter(item=row.item, done=False, user=None).exists()


def test_a_corrected_line_takes_the_place_of_an_incomplete_answer(db: None) -> None:
    project = project_of("aces-13")
    bring(project, BAD_SPAN)
    assert exported(project) == json.dumps(BAD_SPAN) + "\n"
    assert bring(project, BAD_SPAN).unchanged == 1
    good = {**BAD_SPAN, "spans": [*BAD_SPAN["spans"][:1], {**BAD_SPAN["spans"][1], "end": 9}]}
    assert (bring(project, good).annotations, bring(project, good).unchanged) == (1, 1)
    row = Annotation.objects.get()
    assert (len(row.spans), row.counts, row.flagged, row.comment) == (2, True, False, "")


def test_inventories_without_a_mapping_are_refused() -> None:
    with pytest.raises(Refused, match="of aces-13 those of aces-10"):
        label_mapping("aces-10", "aces-13")


def test_unknown_labels_are_told_and_the_rest_comes_in(db: None) -> None:
    project = project_of("aces-10")
    report = bring(project, record("x", (0, 0, "NOISE")), b"", record("y", (2, 2, "WHO")), b"{")
    assert [str(skipped) for skipped in report.skipped] == [
        (
            "Line 1: The scheme ACES, 10 labels has no such label. It has: "
            f"{', '.join(project.scheme.names)}. Found: NOISE"
        ),
        "Line 4: The line is not valid JSON. Write one JSON object on each line. Found: {",
    ]
    assert (report.left_out, report.annotations, report.captions) == (2, 1, 1)
    assert project.members.get().name == "y"


def test_the_same_index_of_another_source_is_another_caption(db: None) -> None:
    project = project_of("aces-13")
    rows = [{"text": DOG, "meta": {"source": name, "index": "5"}} for name in ("dev", "eval")]
    assert bring(project, *rows).captions == 2


def test_work_of_others_on_a_caption_is_kept_beside(db: None) -> None:
    project = project_of("aces-13")
    report = bring(project, record("x", (2, 2, "WHO")), record("y", (3, 3, "HOW")), record("z"))
    assert (report.captions, report.annotations) == (1, 3)
    item = Item.objects.get()
    assert (item.copies, item.assignments.filter(done=True).count()) == (3, 3)
    assert Annotation.objects.filter(assignment=None).count() == 0


def test_an_import_takes_no_assignment_that_someone_holds(db: None) -> None:
    project = project_of("aces-13", copies=2)
    bring(project, {"text": DOG})
    ann = UserFactory()
    member_add(project=project, user=ann)
    (held,) = tasks_take(project=project, user=ann, count=1, now=NOW, lease=LEASE)
    bring(project, record("x"), record("y"))
    held.refresh_from_db()
    assert (held.user, held.done) == (ann, False)
    assert [assignment.done for assignment in Assignment.objects.order_by("number")] == [
        False,
        True,
        True,
    ]


def test_what_was_changed_here_since_is_never_overwritten(db: None) -> None:
    project = project_of("aces-13")
    line = record("x", (2, 2, "WHO"), flavour="sweet")
    bring(project, line)
    item, user = Item.objects.get(), project.members.get().user
    spans = [{"token_start": 2, "token_end": 2, "label": "WHAT"}]
    annotation_save(item=item, user=user, change=AnswerChange("edit-one", 1, spans), now=NOW)
    assert bring(project, line).unchanged == 1
    other = bring(project, record("x", (0, 0, "OTHER")))
    assert "labelled this caption differently; that answer stays" in other.skipped[0].why
    assert Annotation.objects.get().spans[0]["label"] == "WHAT"
    out = json.loads(exported(project))
    assert (out["flavour"], out["spans"][0]["label"], out["answer"]) == ("sweet", "WHAT", "accept")
    assert bring(project, exported(project).encode()).unchanged == 1
    assert Revision.objects.count() == 2


def test_who_is_made_for_a_session_cannot_log_in_and_is_nobody_else(db: None) -> None:
    taken = UserFactory(username="imported/x")
    project = project_of("aces-13")
    bring(project, record("x"), record("y" * 200), record(""))
    users = [member.user for member in project.members.order_by("pk")]
    assert taken not in users
    assert not any(user.is_active or user.has_usable_password() for user in users)
    names = [member.name for member in project.members.order_by("pk")]
    assert (names[0], len(names[1]), names[2]) == ("x", 80, "imported")


def test_gold_does_not_come_in_by_a_file_and_no_name_of_exports_is_taken(db: None) -> None:
    project = project_of("aces-13")
    report = bring(project, record("imported-gold"))
    assert (report.left_out, report.captions) == (1, 0)
    assert bring(project_of("aces-13", "other"), record("imported-gold")).annotations == 1
    for _ in range(2):
        bring(project, record("gold"), record("all"))
    assert {member.name for member in project.members.all()} == {"gold (file)", "all (file)"}


def test_a_file_whose_sessions_are_no_people_stops_making_some(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.services.people.MOST_MADE", 2)
    project = project_of("aces-13")
    report = bring(
        project, *(record(f"session {n % 4}", text=f"dog {n}", spans=[]) for n in range(8))
    )
    assert (project.members.count(), report.annotations, report.left_out) == (2, 4, 4)
    assert "more than 2 new people" in report.skipped[0].why


def test_other_words_of_the_same_text_are_found_by_their_characters(db: None) -> None:
    project = project_of("aces-13")
    bring(project, record("x", (2, 2, "WHO")))
    pair = [{"start": 0, "end": 9}, {"start": 10, "end": 15}]
    fits = {**record("y", (0, 0, "WHO")), "tokens": pair}
    assert bring(project, fits).annotations == 1
    found = Annotation.objects.get(user__username="imported/y").spans
    assert [(span["token_start"], span["token_end"]) for span in found] == [(0, 2)]
    halves = [{"start": 0, "end": 4}, {"start": 4, "end": 15}]
    report = bring(project, {**record("z", (0, 0, "WHO")), "tokens": halves})
    assert "does not begin and end at word boundaries" in report.bad_spans[0].why


def test_a_large_file_is_read_piece_by_piece(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that were read after a fault of the database do not undo those before."""
    monkeypatch.setattr("annotation.services.formats.imports.AT_ONCE", 2)
    project = project_of("aces-13")

    def records() -> Any:
        yield from prodigy.read(BytesIO(b'{"text": "one"}\n{"text": "two"}\n{"text": "three"}'))
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        records_import(project=project, records=records(), now=NOW)
    assert project.items.count() == 2
