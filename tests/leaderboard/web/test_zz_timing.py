import time, re
from tests.leaderboard.web.test_query_counts import *
from tests.leaderboard.web.test_query_counts import world
import sys


def test_time(world):
    item = world.project.items.all()[0]
    for at in range(2):
        user = UserFactory.create()
        member_add(project=world.project, user=user)
        label(item, user, (at, 1, "WHO"), comment="x")
    for _ in range(10):
        more_like(item, 5000)
        more_of_data_set(world.data_set, 5000)
    print("captions", world.project.items.count(), flush=True)
    rows = []
    for route, answers in ROUTES.items():
        if not LABELLING.search(route) or answers.get("GET", (0,) * 8)[4] != 200:
            continue
        for name in ("default", "parts", "pages"):
            caches[name].clear()
        t = time.perf_counter()
        r = world.clients["organiser"].get(world.path(route) + QUERIES.get(route, ""))
        n = len(r.getvalue())
        d = time.perf_counter() - t
        rows.append((d, route, r.status_code, n))
        print(f"TIME {d:8.2f} {r.status_code} {n:>10} {route}", flush=True)
