"""Rules that keep labels good while people are at work."""

from django.db import transaction

from annotation.batches import AT_ONCE
from annotation.models import Assignment, Item, Order, Project
from annotation.services.projects import ProjectAct, drawn


@transaction.atomic
def project_set_tests(*, project: Project, every: int | None, act: ProjectAct) -> bool:
    """Mix a test into each ``every`` captions of annotators (2 or more; None: none).

    Where captions came as given they come at random from then on, for a test would be known by
    its number; returns whether that was so.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    shuffled = every is not None and locked.order == Order.GIVEN
    project.test_every = locked.test_every = every
    if shuffled:
        project.order = locked.order = Order.RANDOM
        _shuffle(locked)
    locked.full_clean()
    locked.save(update_fields=["test_every", "order"])
    act.note("tests" if every else "tests-off", project, every=every)
    return shuffled


def _shuffle(project: Project) -> None:
    # Those that were removed, too: they may be brought back.
    items = list(Item.with_removed.filter(project=project).only("position"))
    ranks = {item.pk: drawn(project, item.position)[1] for item in items}
    for item in items:
        item.rank = ranks[item.pk]
    Item.with_removed.bulk_update(items, ["rank"], batch_size=AT_ONCE)
    assignments = list(Assignment.with_removed.filter(project=project).only("item_id"))
    for assignment in assignments:
        assignment.rank = ranks[assignment.item_id]
    Assignment.with_removed.bulk_update(assignments, ["rank"], batch_size=AT_ONCE)
