"""What pages of before kinds of work left in a browser: it is gone on with, and sent."""

from typing import Any

from django.utils import timezone

from annotation.models import Item
from annotation.selectors.relabelling import scheme_name
from annotation.services.tasks import tasks_take
from tests.annotation.conftest import LEASE
from tests.e2e.annotation.desk import DOG, TEXTS, TWELVE, Desk, of, press, runs, saved, shows

ONE_LARGE = {"token_start": 1, "token_end": 1, "label": "WHO_WHAT_PROPERTY"}
ONE_DOG = {"token_start": 2, "token_end": 2, "label": "WHO"}


def record(desk: Desk, text: str, **more: Any) -> dict[str, Any]:
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
        "owner": f"{desk.user.pk}/{desk.project.slug}",
        "tab": "0123456789abcdef",
        "scheme": scheme_name(desk.project.scheme),
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


def test_drafts_and_answers_of_earlier_pages_are_read(desk: Desk) -> None:
    page = desk.page
    now = timezone.now()
    tasks_take(project=desk.project, user=desk.user, count=6, now=now, lease=LEASE)
    start: dict[str, Any] = {"spans": [], "flagged": False, "taken": []}
    first = start | {"spans": [ONE_LARGE], "before": [1, 1], "after": [2, 2]}
    draft = record(desk, TWELVE, kind="draft", spans=[ONE_LARGE, ONE_DOG], answer=None) | {
        "steps": {"past": [start, first], "future": []},
        "cursors": {"before": [2, 2], "after": [3, 3]},
    }
    answer = record(desk, TEXTS[1], kind="answer", spans=[ONE_DOG], answer="accept") | {
        "edit": "fedcba9876543210",
        "edits": ["fedcba9876543210"],
        "seconds": 2.5,
    }
    page.goto("/accounts/logout/")
    page.evaluate(
        """(records) => records.forEach((record) => {
            const { owner, tab, item, kind } = record;
            const place = `earmark-labelling/${owner}/${tab}/${item}/${kind}`;
            localStorage.setItem(place, JSON.stringify(record));
        })""",
        [draft, answer],
    )
    desk.open()
    shows(page, DOG)
    press(page, "Control+z")
    shows(page, "dog")
    # The cursor is where it was before the change that was undone.
    press(page, "t", "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHAT")]
    assert runs(of(TEXTS[1])) == [("falls", "WHO")]
