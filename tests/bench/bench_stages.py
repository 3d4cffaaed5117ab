"""Time the sweep of stages where nothing changed, and comparing everything.

    python -m tests.bench.bench_stages [--sounds 3000] [--captions 5]

Made-up captions of as many sounds, all written and edited and each sound rated by three, in a
database of its own: SQLite, or that of DATABASE_URL (PostgreSQL). Seconds of the processor.
"""

import argparse
import time
from collections.abc import Callable

from tests.bench.site import own_database  # isort: skip, sets Django up

from django.db import connection, reset_queries
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.kinds.rate import caption_key
from annotation.models import Annotation, Assignment, DataSet, Item, Project
from annotation.selectors.data_sets.source_captions import source_changes
from annotation.selectors.stages.chain import stages_of, stages_state
from annotation.services.data_sets.filling import source_add
from annotation.services.data_sets.making import DataSetAct, data_set_create
from annotation.services.projects import ProjectAct, Task, items_add
from annotation.services.stages import StageSettings, stages_start, stages_update
from leaderboard.models import User
from tests.bench.output import say
from tests.factories import UserFactory


def main() -> None:
    """Read the command line and print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sounds", type=int, default=3000)
    parser.add_argument("--captions", type=int, default=5)
    options = parser.parse_args()
    with own_database():
        first = fill(options.sounds, options.captions)
        say(f"{options.sounds * options.captions:,} captions, {connection.vendor}")
        timed("every clip compared", lambda: stages_update(source=first, now=timezone.now()))
        timed("nothing changed", lambda: stages_state(first))
        made = kept_captions(first)
        timed("a data set compared with its project", lambda: source_changes(made))


def kept_captions(first: Project) -> DataSet:
    """A data set of what the last stage keeps."""
    act = DataSetAct(UserFactory.create(), timezone.now())
    made = data_set_create(name="Kept", act=act, source=stages_of(first)[-1])
    source_add(data_set=made, act=act)
    return made


def timed(name: str, work: Callable[[], object]) -> None:
    """Print the processor's seconds and the queries of some work."""
    reset_queries()
    with CaptureQueriesContext(connection) as queries:
        start = time.process_time()
        work()
        seconds = time.process_time() - start
    say(f"{name}: {seconds:.2f} s, {len(queries)} queries")


def fill(sounds: int, captions: int) -> Project:
    """Make the three projects with everything answered; the first of them."""
    people = UserFactory.create_batch(captions + 4)
    stages = [("write", captions, {}), ("edit", 1, {}), ("rate", 3, {"keep": captions})]
    write, edit, rate = stages_start(
        stages=[StageSettings(kind, kind, people, options) for kind, people, options in stages],
        act=ProjectAct(people[0], timezone.now()),
    )
    names = [f"sound {at}.wav" for at in range(sounds)]
    items_add(project=write, tasks=[Task(name, meta={"file_name": name}) for name in names])
    answer(write, people[:captions], lambda item, at: {"text": f"caption {at} of {item.text}"})
    stages_update(source=write, now=timezone.now())
    answer(edit, people[captions:], lambda item, _: {"text": f"{item.content['caption']}, edited"})
    stages_update(source=write, now=timezone.now())
    answer(rate, people[captions + 1 :], lambda item, _: {"ratings": ratings(item)})
    stages_update(source=write, now=timezone.now())
    return write


def ratings(item: Item) -> dict[str, dict[str, int]]:
    """The same numbers for every version."""
    rating = {"accuracy": 3, "fluency": 4}
    return {caption_key(row["text"]): rating for row in item.content["captions"]}


def answer(
    project: Project, people: list[User], value: Callable[[Item, int], dict[str, object]]
) -> None:
    """Have people answer all places of a project, as if they had been handed out."""
    places = list(Assignment.objects.filter(project=project).select_related("item"))
    for place in places:
        place.user, place.done = people[place.number % len(people)], True
    Assignment.objects.bulk_update(places, ["user", "done"], batch_size=500)
    now = timezone.now()
    Annotation.objects.bulk_create(
        (
            Annotation(
                item=place.item,
                user=people[place.number % len(people)],
                assignment=place,
                value={**value(place.item, place.number), "heard": True},
                edit=f"bench-{place.pk}",
                created_at=now,
                updated_at=now,
            )
            for place in places
        ),
        batch_size=500,
    )


if __name__ == "__main__":
    main()
