"""What pages of before kinds of work left in a browser: it is gone on with, and sent."""

import json
from typing import Any

from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Item, Project
from annotation.selectors.relabelling import scheme_name
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE
from tests.e2e.annotation.labelling.labelling_page import (
    TEXTS,
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
)
from tests.e2e.conftest import LogIn

LARGE = {"token_start": 1, "token_end": 1, "label": "WHO_WHAT_PROPERTY"}
DOG = {"token_start": 2, "token_end": 2, "label": "WHO"}


def record(project: Project, user: User, text: str, **more: Any) -> dict[str, Any]:
    """A record of the journal with the fields that all of them had."""
    item = Item.objects.get(text=text)
    task = {
        "id": item.pk,
        "position": item.position,
        "text": item.text,
        "tokens": item.tokens,
        "meta": item.meta,
        "measures_agreement": True,
        "annotation": None,
        "suggestion": None,
    }
    return {
        "owner": f"{user.pk}/{project.slug}",
        "tab": "0123456789abcdef",
        "scheme": scheme_name(project.scheme),
        "item": item.pk,
        "at": 1_750_000_000_000,
        "task": task,
        "base": 0,
        "over": {},
        "edits": [],
        "sent_back": None,
        "flagged": False,
        "comment": "",
        "taken": [],
        "edit": None,
    } | more


def test_drafts_and_answers_of_earlier_pages_are_read(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    tasks_take(project=project, user=ann, count=6, now=timezone.now(), lease=LEASE)
    start: dict[str, Any] = {"spans": [], "flagged": False, "taken": []}
    first = start | {"spans": [LARGE], "before": [1, 1], "after": [2, 2]}
    draft = record(project, ann, TWELVE, kind="draft", spans=[LARGE, DOG], answer=None) | {
        "steps": {"past": [start, first], "future": []},
        "cursors": {"before": [2, 2], "after": [3, 3]},
    }
    answer = record(project, ann, TEXTS[1], kind="answer", spans=[DOG], answer="accept") | {
        "edit": "fedcba9876543210",
        "edits": ["fedcba9876543210"],
        "seconds": 2.5,
    }
    log_in(ann)
    page.goto(f"{live_server.url}/accounts/logout/")
    page.evaluate(
        """(records) => records.forEach((record) => {
            const { owner, tab, item, kind } = record;
            const place = `earmark-labelling/${owner}/${tab}/${item}/${kind}`;
            localStorage.setItem(place, JSON.stringify(record));
        })""",
        json.loads(json.dumps([draft, answer])),
    )
    open_labelling_page(page, live_server, project)
    expect(option(page, "dog, Who")).to_be_visible()
    press(page, "Control+z")
    expect(option(page, "dog")).to_be_visible()
    # The cursor is where it was before the change that was undone.
    press(page, "t", "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHAT")]
    assert runs(of(TEXTS[1])) == [("falls", "WHO")]
