"""Count the statements that ten common acts send to the database.

    python -m tests.bench.bench_statements [--systems 20]

Each act is a request of its own on a site with one of everything and some systems
(``tests.bench.bench_pages``), in a database of SQLite. Caches are emptied before it, so that
nothing of an earlier request is at hand. What begins, marks and ends transactions counts, too.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from tests.bench import site  # isort: skip, sets Django up

from django.core.cache import caches

from tests.bench.bench_pages import filled
from tests.bench.output import say
from tests.bench.tables import table
from tests.leaderboard.access.one_of_everything import Everything
from tests.leaderboard.submissions.test_submit_page import entry

CLIPS = 20
PHASE = "c/<slug:challenge>/<slug:phase>/"
PAGES = {
    "home of a participant": ("member", ""),
    "a leaderboard": ("anonymous", PHASE),
    "a system": ("anonymous", "s/<slug:public_id>/"),
    "a clip of a system": ("anonymous", "s/<slug:public_id>/clips/<int:number>/"),
    "two systems compared": ("anonymous", f"{PHASE}compare/"),
    "words of a phase": ("anonymous", f"{PHASE}words/"),
    "an organiser's overview": ("organiser", "manage/<slug:challenge>/"),
}
LABELLING = "api/v1/labelling/<slug:project>/"


def main() -> None:
    """Do everything once and print the statements."""
    parser = argparse.ArgumentParser(description="Count the statements of ten common acts.")
    parser.add_argument("--systems", type=int, default=20)
    options = parser.parse_args()
    with site.own_database():
        rows = [*counted(filled(options.systems, CLIPS))]
    say(table(("act", "statements"), rows))


def counted(world: Everything) -> Iterator[tuple[str, int]]:
    """Each act and its statements."""
    for act, (who, route) in PAGES.items():
        yield act, statements(world.clients[who].get, world.path(route))
    lines = "".join(f"recording {number:04}.wav,rain falls\n" for number in range(CLIPS))
    data = f"file_name,caption_predicted\n{lines}".encode()
    yield (
        "a system is submitted",
        statements(
            world.clients["member"].post,
            world.path(f"{PHASE}submit/"),
            entry(world.cast.team, data),
        ),
    )
    annotator, kind = world.clients["organiser"], "application/json"
    tasks = world.path(f"{LABELLING}tasks")
    yield "captions are handed out", statements(annotator.post, tasks, '{"count": 5}', kind)
    item = annotator.post(tasks, '{"count": 1}', kind).json()["tasks"][0]["id"]
    answer = '{"edit": "abcdefgh", "base": 0, "spans": []}'
    address = world.path(f"{LABELLING}items/") + f"{item}/annotation"
    yield "an answer is kept", statements(annotator.put, address, answer, kind)


def statements(ask: Callable[..., Any], *request: Any) -> int:
    """How many statements a request sends; one that is refused raises ``ValueError``."""
    for cache in caches.all():
        cache.clear()
    response, count = site.with_queries(lambda: ask(*request))
    if response.status_code >= 400:
        raise ValueError(
            f"{request[0]} answered {response.status_code}: {response.content[:300]!r}"
        )
    return count


if __name__ == "__main__":
    main()
