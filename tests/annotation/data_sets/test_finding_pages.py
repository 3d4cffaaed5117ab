"""The pages of findings: checking, the queue, decisions as forms, histories and files."""

import csv
import io
import json
from typing import Any

import pytest

from annotation import tasks
from annotation.models import CaptionDecision, CaptionFinding, DataSetCheck, Verdict
from annotation.services.data_sets import findings
from annotation.services.data_sets.decisions import caption_edit, finding_dismiss
from annotation.services.data_sets.making import data_set_create
from annotation.services.projects import ProjectAct
from annotation.services.sounds import sounds_add_zip
from annotation.views import findings as pages
from tests.annotation.data_sets.conftest import Desk, captions_put
from tests.annotation.data_sets.findings import checked, finding, stamp, words
from tests.annotation.projects.manage_page import HOSTILE
from tests.sounds import wav, zipped

CHECK = {"kinds": ["spelling", "length"], "min_words": 5, "max_words": 20}


def page(desk: Desk, part: str = "findings/", query: str = "") -> str:
    response = desk.client(desk.owner).get(desk.path(part) + query)
    assert response.status_code == 200, part
    return response.content.decode()


def decide(desk: Desk, found: CaptionFinding, *, htmx: bool = False, **sent: Any) -> Any:
    headers = {"HX-Request": "true"} if htmx else {}
    data = {"seen": stamp(found.caption), "kind": "", "state": "open"} | sent
    address = desk.path(f"findings/{found.pk}/")
    return desk.client(desk.owner).post(address, data, headers=headers)


def test_a_small_set_is_checked_at_once(desk: Desk) -> None:
    changes: list[tuple[dict[str, Any], str]] = [
        ({"kinds": []}, "Choose at least one kind"),
        ({"kinds": ["poetry"]}, "poetry"),
        ({"min_words": 21}, "at least as many as the fewest"),
    ]
    for change, says in changes:
        refused = desk.client(desk.owner).post(desk.path("findings/check/"), CHECK | change)
        assert (refused.status_code, says in words(refused.content)) == (422, True)
    assert "have not been checked yet" in words(page(desk).encode())
    sent = desk.client(desk.owner).post(desk.path("findings/check/"), CHECK)
    assert sent["Location"] == desk.path("findings/")
    desk.data_set.refresh_from_db()
    assert (desk.data_set.kinds, desk.data_set.min_words) == (["spelling", "length"], 5)
    shown = words(page(desk).encode())
    assert "4 captions checked" in shown
    assert "Continuous" in shown


def test_a_large_set_goes_to_a_worker_and_its_progress_is_shown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(pages, "CHECKED_AT_ONCE", 3)
    sent: list[list[int]] = []
    task = tasks.CHECK_TASKS.task
    monkeypatch.setattr(task, "apply_async", lambda args, **_: sent.append(args))
    with django_capture_on_commit_callbacks(execute=True):
        desk.client(desk.owner).post(desk.path("findings/check/"), CHECK)
    check = DataSetCheck.objects.get()
    assert sent == [[check.pk, check.token]]
    assert "Waiting for a worker" in words(page(desk).encode())
    DataSetCheck.objects.update(state="running", done=2)
    part = desk.client(desk.owner).get(
        desk.path("findings/progress/"), headers={"HX-Request": "true"}
    )
    assert "2 of 4 captions" in words(part.content)
    DataSetCheck.objects.update(state="failed", reason=findings.CHECKS.worker_lost)
    over = desk.client(desk.owner).get(
        desk.path("findings/progress/"), headers={"HX-Request": "true"}
    )
    assert over["HX-Refresh"] == "true"
    assert "The worker stopped three times" in words(page(desk).encode())


def test_findings_are_filtered_counted_by_word_and_come_in_pages(desk: Desk) -> None:
    clips = {f"{n}.wav": (f"A {'zorkel' if n < 9 else 'pump'} hums",) for n in range(40)}
    captions_put(desk.data_set, clips, first=2)
    checked(desk)
    one, place = finding(desk, "Continous"), 'finding__place">Continous</mark>'
    assert page(desk).count('class="finding"') == pages.ON_PAGE
    assert "Dismiss all 9 “zorkel”" in page(desk, query="?kind=spelling")
    assert place in page(desk, query="?kind=spelling")
    assert place not in page(desk, query="?kind=name")
    finding_dismiss(finding=one, seen=stamp(one.caption), act=desk.act)
    assert place not in page(desk)
    dismissed = words(page(desk, query="?state=dismissed").encode())
    assert "Dismissed 1" in dismissed
    assert f"Dismissed by {desk.owner.username}" in dismissed
    # What there is not shows all that is open.
    assert page(desk, query="?state=x&kind=y&page=z").count('class="finding"') > 0


def test_captions_and_names_are_shown_as_they_are(desk: Desk) -> None:
    captions_put(desk.data_set, {HOSTILE: (HOSTILE, f"Continous {HOSTILE}")}, first=2)
    checked(desk)
    caption = desk.caption(HOSTILE, 2)
    caption_edit(caption=caption, text=f"{HOSTILE} zorkel", seen=stamp(caption), act=desk.act)
    for part in ("findings/", f"captions/{caption.pk}/", ""):
        shown = page(desk, part)
        assert "<script>alert" not in shown
    assert "&lt;script&gt;alert" in page(desk, "findings/")


def test_a_suggestion_is_taken_by_a_form_and_every_decision_is_in_the_files(desk: Desk) -> None:
    checked(desk)
    one, client = finding(desk, "Continous"), desk.client(desk.owner)
    sent = decide(desk, one, choice=0, following=77)
    assert sent["Location"] == f"{desk.path('findings/')}?kind=&state=open#finding-77"
    assert desk.caption("rain.wav").text == "Continuous rain falls on a roof"
    assert decide(desk, one, act="take-back").status_code == 302
    assert desk.caption("rain.wav").text == "Continous rain falls on a roof"
    refused = decide(desk, one, act="take-back")
    assert refused.status_code == 409
    assert "no decision to take back" in words(refused.content)
    lines = client.get(desk.path("decisions/?format=jsonl")).getvalue().splitlines()
    told = [json.loads(line) for line in lines]
    assert [(row["act"], row["text"], row["taken_back"]) for row in told] == [
        ("accepted", "Continous", True),
        ("taken-back", "Continous", False),
    ]
    assert told[0]["after"] == "Continuous rain falls on a roof"
    assert told[0]["by"] == desk.owner.username
    # Nothing in them is computed by a spreadsheet.
    captions_put(desk.data_set, {"=1.wav": ("=1+1 rain",)}, first=2)
    caption = desk.caption("=1.wav")
    caption_edit(caption=caption, text="=2+2 rain", seen=stamp(caption), act=desk.act)
    table = client.get(desk.path("decisions/?format=csv")).getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["act"] for row in rows] == ["accepted", "taken-back", "edited"]
    assert ",=" not in table
    assert "\n=" not in table
    assert client.get(desk.path("decisions/?format=exe")).status_code == 404


def test_decisions_that_are_none_are_refused(desk: Desk) -> None:
    checked(desk)
    one = finding(desk, "Continous")
    for sent, code, says in (
        ({}, 422, "Nothing was chosen"),
        ({"act": "burn"}, 422, "burn"),
        ({"choice": "x"}, 422, "whole number"),
        ({"act": "edit", "text": "x" * 2001}, 422, "2000"),
        ({"act": "edit", "text": ""}, 422, "no words"),
        ({"choice": 99}, 409, "Choose one of them"),
    ):
        refused = decide(desk, one, **sent)
        assert (refused.status_code, says in words(refused.content)) == (code, True), says
    assert not CaptionDecision.objects.exists()
    # Nor are findings and captions of another data set here.
    base = f"/annotate/data-sets/{data_set_create(name='Other', act=desk.act).slug}/"
    for part in (f"findings/{one.pk}/", f"captions/{one.caption_id}/"):
        assert desk.client(desk.owner).get(base + part).status_code == 404


def test_a_caption_has_its_history_and_can_be_edited_there(desk: Desk) -> None:
    checked(desk)
    caption = desk.caption("rain.wav")
    address = desk.path(f"captions/{caption.pk}/")
    client = desk.client(desk.owner)
    saved = client.post(address, {"text": "  Rain on\r\na tent ", "seen": stamp(caption)})
    assert saved["Location"] == address
    assert desk.caption("rain.wav").text == "Rain on a tent"
    stale = client.post(address, {"text": "Other words", "seen": "before"})
    assert stale.status_code == 409
    assert "Other words" in stale.content.decode()
    assert client.post(address, {"text": "", "seen": "x"}).status_code == 422
    shown = words(client.get(address).content)
    assert "Original: Continous rain" in shown
    assert f"{desk.owner.username} edited the caption" in shown
    decision = CaptionDecision.objects.get()
    back = client.post(desk.path(f"decisions/{decision.pk}/take-back/"), follow=True)
    assert "The decision was taken back" in words(back.content)
    assert desk.caption("rain.wav").text == "Continous rain falls on a roof"
    again = client.post(desk.path(f"decisions/{decision.pk}/take-back/"), follow=True)
    assert "already been taken back" in words(again.content)


def test_recordings_are_there_for_who_may_hear_them(
    desk: Desk, settings: Any, tmp_path: Any
) -> None:
    settings.AUDIO_DIR = tmp_path / "audio"
    sounds_add_zip(
        project=desk.project,
        path=zipped({"rain.wav": wav()}, tmp_path / "x.zip"),
        act=ProjectAct(desk.manager, desk.act.now),
    )
    checked(desk)
    sounds = [
        desk.client(user).get(desk.path("findings/?kind=spelling")).content.decode().count("<audio")
        for user in (desk.manager, desk.admin, desk.owner)
    ]
    assert sounds == [1, 1, 0]


def test_every_open_finding_of_a_kind_and_text_is_dismissed(desk: Desk) -> None:
    captions_put(desk.data_set, {"more.wav": ("continous rain on a tin roof in the night",)}, 2)
    checked(desk)
    misspelt = CaptionFinding.objects.filter(kind="spelling", text__iexact="continous")
    others = CaptionFinding.objects.exclude(pk__in=misspelt).filter(verdict=Verdict.OPEN).count()
    assert misspelt.count() == 2
    assert decide(desk, finding(desk, "Continous"), act="dismiss-all").status_code == 302
    assert set(misspelt.values_list("verdict", flat=True)) == {Verdict.DISMISSED}
    assert CaptionFinding.objects.filter(verdict=Verdict.OPEN).count() == others
    assert CaptionDecision.objects.filter(by=desk.owner).count() == 2
