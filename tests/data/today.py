"""What today's code makes of a migrated database: ``python -m tests.data.today < asked.json``.

Writes the answers (``tests.data.answers``), how captions are handed out, what is and was settled,
and the evaluations that waited before and after each was attempted twice. Runs on the database
of DATABASE_URL.
"""

import json
import os
import sys
from typing import Any


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from tests.data.answers import answers

    asked = json.load(sys.stdin)
    told: dict[str, Any] = {
        "answers": answers(asked),
        "assignments": _assignments(),
        "waited": _waiting(),
        "gold": _settled(),
    }
    # Those whose metric has a new revision only wait again after the first.
    _attempt()
    _attempt()
    boards = [one for one in asked if "/leaderboard" in one["path"]]
    told |= {"waiting": _waiting(), "afterwards": answers(boards)}
    json.dump(told, sys.stdout)


def _assignments() -> list[Any]:
    from annotation.models import Assignment

    rows = Assignment.objects.order_by("item__position", "number").values_list(
        "item__position", "number", "user__username", "done", "expires_at"
    )
    return [[*row[:4], row[4] and row[4].isoformat()] for row in rows]


def _settled() -> dict[str, list[Any]]:
    from annotation.models import Gold, PastGold

    columns = ("pk", "labels", "spans", "provenance", "note")
    return {
        "gold": list(Gold.objects.order_by("pk").values_list(*columns)),
        "pastgold": list(PastGold.objects.order_by("pk").values_list(*columns)),
    }


def _waiting() -> list[Any]:
    from leaderboard.models import Evaluation

    rows = Evaluation.objects.filter(state="pending", published=True)
    return list(rows.values_list("submission__system_name", "family", "signature"))


def _attempt() -> None:
    from leaderboard.models import Evaluation
    from leaderboard.services.evaluations.attempts import evaluation_attempt
    from leaderboard.services.evaluations.states import evaluations_sweep
    from tests.factories import NOW

    published = set(Evaluation.objects.filter(published=True).values_list("pk", flat=True))
    for key in evaluations_sweep(now=NOW, requeue_after=lambda _: NOW - NOW):
        if key in published:
            evaluation_attempt(evaluation_id=key)


if __name__ == "__main__":
    main()
