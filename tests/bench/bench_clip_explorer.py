"""Time the list of clips: 1,045 clips, 20 systems, any order, filter and systems beside.

    python -m tests.bench.bench_clip_explorer [--clips 1045] [--systems 20] [--requests 400]

Made-up captions, values and details, stored as attempts store them, in a database of its
own: SQLite, or the one of DATABASE_URL. Requests go through the Django client, so that
everything but the network and the web server is in the times. A page is cold when it is
the first one of its system in this process, when captions are read, or the first one to
choose clips by what was found, when details are indexed.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.bench.site import own_database  # isort: skip, sets Django up

import numpy as np
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.http import urlencode

from earmark.captions import References
from earmark.metrics.cb.vocabulary import load_classes
from earmark.metrics.facets import BOTH_SIDES
from earmark.registry import METRICS, metrics_of
from earmark.results import NO_INTERVAL, MetricScore
from leaderboard.models import ClipDetails, Phase, Submission
from leaderboard.services.evaluations.states import details_pack
from tests.bench.output import say
from tests.factories import PhaseFactory, TeamFactory, finish, reference_set, submit

REFERENCES = 5
LABELS = ("WHO", "WHAT", "HOW", "HOW_PROPERTY", "WHERE", "SOUND_TYPE", "O", "O", "O")
ERRORS = ("add_tail", "repeat_event", "repeat_adv", "remove_conj", "remove_verb")
ORDERS = ("worst", "best", "file", "ahead", "behind", "spread")
WORDS = """
a the dog rain wind car people birds engine water loud soft distant metal wooden door
street while and then barks falls blows passes talk sing runs drips slowly steadily
"""


class Maker:
    """Makes captions and details of about the size that real ones have."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.words = WORDS.split()
        self.events = sorted(one.name for one in load_classes().values())[:300]

    def some(self, of: Sequence[str], low: int, high: int) -> list[str]:
        """Draw some words, the first ones more often than the last."""
        places = self.draw.exponential(len(of) / 4, int(self.draw.integers(low, high)))
        return [of[int(place) % len(of)] for place in places]

    def caption(self) -> str:
        """Make a caption of about eleven words."""
        return " ".join(self.some(self.words, 7, 15))

    def cb(self) -> dict[str, Any]:
        """Make what CB-score says of a clip."""
        theirs = dict.fromkeys(self.some(self.events, 3, 12))
        ours = [*list(theirs)[::2], *self.some(self.events, 0, 4)]
        rows = [{"event": name, "references": 2, "relevance": 0.181818} for name in theirs]
        named = [
            {"event": name, "match": "class", "words": name, "relevance": 0.181818} for name in ours
        ]
        return {"relevance": rows, "candidate": named, "ideal": rows, "ideal_average": rows}

    def sbf(self) -> dict[str, Any]:
        """Make what SBF says of a clip."""

        def side(low: int, high: int) -> list[dict[str, Any]]:
            return [
                {"class": name, "references": 1, "phrase": "a dog barks", "similarity": 0.448035}
                for name in dict.fromkeys(self.some(self.events, low, high))
            ]

        return {
            "phrases": self.some(self.words, 3, 6),
            "reference_phrases": [self.some(self.words, 3, 6) for _ in range(REFERENCES)],
            "hits": side(5, 15),
            "misses": side(10, 30),
            "false_alarms": side(10, 30),
        }

    def aces(self) -> dict[str, Any]:
        """Make what ACES says of a clip."""

        def words() -> list[dict[str, Any]]:
            return [
                {"text": word, "label": str(self.draw.choice(LABELS)), "confidence": 0.996839}
                for word in self.some(self.words, 7, 15)
            ]

        return {"words": words(), "references": [words() for _ in range(REFERENCES)], "labels": []}

    def fluency(self) -> dict[str, Any]:
        """Make what the fluency detector says of a caption."""
        probabilities = {name: round(float(self.draw.random()), 6) for name in (*ERRORS, "error")}
        likeliest = max(ERRORS, key=probabilities.__getitem__)
        flag = probabilities["error"] > 0.8
        return {"flag": flag, "likeliest": likeliest, "probabilities": probabilities}


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with own_database():
        run(options, Maker(options.seed))


def run(options: argparse.Namespace, maker: Maker) -> None:
    """Fill the database and time the pages."""
    began = time.perf_counter()
    systems = fill(options.clips, options.systems, maker)
    say(
        f"{connection.vendor}: {options.clips} clips, {options.systems} systems, filled in "
        f"{time.perf_counter() - began:.0f} s"
    )
    client = Client()
    cold = [timed(client, list_url(system, [])) for system in systems]
    choosing = [timed(client, list_url(system, [("choose", "1")])) for system in systems]
    say(f"first page of all {cold[0]:.0f} ms; cold, captions: {line(cold[1:])}")
    say(f"cold, details to choose by: {line(choosing)}")
    kinds: dict[str, Callable[[Submission], list[tuple[str, str]]]] = {
        "order alone": lambda _: order(maker),
        "with a filter": lambda _: [*order(maker), *a_filter(maker)],
        "five beside": lambda own: [*order(maker), *beside(own, systems, maker)],
        "filter, five beside": lambda own: [
            *order(maker),
            *a_filter(maker),
            *beside(own, systems, maker),
        ],
    }
    every: list[float] = []
    for name, query in kinds.items():
        times = list(requests(client, systems, query, maker, options.requests // len(kinds)))
        every += times
        say(f"warm, {name}: {line(times)}")
    say(f"warm, all: {line(every)}")
    clips = [
        timed(client, clip_url(own, beside(own, systems, maker), maker, options.clips))
        for own in systems
    ]
    say(f"one clip, five beside: {line(clips)}")


def fill(clips: int, systems: int, maker: Maker) -> list[Submission]:
    """Store references, systems, values and details."""
    names = [f"recording {number:04}.wav" for number in range(clips)]
    references = References.build(
        [(name, [maker.caption() for _ in range(REFERENCES)]) for name in names]
    )
    phase = PhaseFactory.create(reference_set=reference_set(references))
    return [_system(phase, names, number, maker) for number in range(systems)]


def _system(phase: Phase, names: Sequence[str], number: int, maker: Maker) -> Submission:
    rows = "".join(f"{name},{maker.caption()}\n" for name in names)
    data = f"file_name,caption_predicted\n{rows}".encode()
    submission = submit(phase, TeamFactory.create(), name=f"System {number}", data=data)
    finish(submission, seed=number)
    for family in ("cb", "sbf", "aces", "fluency"):
        store_details(submission, family, [getattr(maker, family)() for _ in names])
    return submission


def store_details(submission: Submission, family: str, details: list[dict[str, Any]]) -> None:
    """Store what a family says of each clip of a submission."""
    ones = np.ones(len(details), np.float32)
    score = MetricScore(metrics_of(family)[0].name, 1.0, NO_INTERVAL, ones, "s", details)
    evaluation = submission.evaluations.get(family=family)
    blocks, _ = details_pack([score], limit=10**9)
    for block in blocks:
        block.evaluation = evaluation
    ClipDetails.objects.bulk_create(blocks)


def order(maker: Maker) -> list[tuple[str, str]]:
    """Choose a metric, an order and a page."""
    several = [name for name, info in METRICS.items() if not info.several]
    return [
        ("metric", str(maker.draw.choice(several))),
        ("sort", str(maker.draw.choice(ORDERS))),
        ("page", str(maker.draw.integers(1, 5))),
        ("q", str(maker.draw.choice(["", "dog", "rain street"]))),
    ]


def a_filter(maker: Maker) -> list[tuple[str, str]]:
    """Choose one of the filters."""
    mode = str(maker.draw.choice(list(BOTH_SIDES)))
    event = maker.events[int(maker.draw.integers(0, 40))]
    filters: list[list[tuple[str, str]]] = [
        [("event", event), ("event_mode", mode)],
        [("label", "WHO"), ("label_mode", mode)],
        [("tag", event), ("tag_mode", "imagined")],
        [("error", str(maker.draw.choice(["any", "none", *ERRORS])))],
    ]
    return filters[int(maker.draw.integers(0, len(filters)))]


def beside(own: Submission, systems: Sequence[Submission], maker: Maker) -> list[tuple[str, str]]:
    """Choose five other systems."""
    others = [system.public_id for system in systems if system != own]
    chosen = maker.draw.permutation(len(others))[:5]
    return [("with", others[int(place)]) for place in chosen]


def requests(
    client: Client,
    systems: Sequence[Submission],
    query: Callable[[Submission], list[tuple[str, str]]],
    maker: Maker,
    count: int,
) -> Iterator[float]:
    """Time pages of systems drawn at random."""
    for _ in range(count):
        own = systems[int(maker.draw.integers(0, len(systems)))]
        yield timed(client, list_url(own, query(own)))


def list_url(system: Submission, query: list[tuple[str, str]]) -> str:
    """The address of a list."""
    return f"{reverse('leaderboard:clips', args=[system.public_id])}?{urlencode(query)}"


def clip_url(system: Submission, query: list[tuple[str, str]], maker: Maker, clips: int) -> str:
    """The address of one clip."""
    number = int(maker.draw.integers(1, clips + 1))
    return f"{reverse('leaderboard:clip', args=[system.public_id, number])}?{urlencode(query)}"


def timed(client: Client, url: str) -> float:
    """Request a page; give the milliseconds that it took."""
    began = time.perf_counter()
    response = client.get(url)
    took = 1000 * (time.perf_counter() - began)
    if response.status_code != 200:
        raise SystemExit(f"{url} answered {response.status_code}")
    return took


def line(times: Sequence[float]) -> str:
    """Sum up times."""
    p50, p95 = np.percentile(times, [50, 95])
    return f"median {p50:.0f} ms, p95 {p95:.0f} ms, slowest {max(times):.0f} ms ({len(times)})"


if __name__ == "__main__":
    main()
