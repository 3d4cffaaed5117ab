"""Taking an import back as a whole, as long as nobody worked on what it brought."""

from collections import defaultdict
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotation.models import Assignment, Import, ImportState, Item, Member, Project
from annotation.selectors.imports import ImportUndoing, brought_by, import_undoing, sessions_to_go
from annotation.services.projects import ProjectAct
from leaderboard.models import User
from leaderboard.web.refusals import Refused


@transaction.atomic
def import_undo(*, record: Import, act: ProjectAct) -> ImportUndoing:
    """Delete the captions and answers that a file brought, where nothing stands against it.

    Captions that were there before stay, with as many assignments as before. The import
    stays in the list as taken back.
    """
    # Answers, decisions and trainings begin under these locks.
    project = Project.objects.select_for_update().get(pk=record.project_id)
    locked = Import.objects.select_for_update(of=("self",)).get(pk=record.pk)
    items, brought = Item.with_removed.filter(imported_in=locked), brought_by(locked)
    touched = items | Item.with_removed.filter(annotations__in=brought)
    every = Item.with_removed.filter(pk__in=touched.values("pk"))
    list(every.select_for_update().order_by("pk"))
    undoing = import_undoing(locked)
    if undoing.reasons:
        raise Refused(f"The import cannot be taken back. {' '.join(undoing.reasons)}", status=422)
    users = list(sessions_to_go(locked).values_list("user", flat=True))
    _assignments_free(locked)
    brought.delete()
    items.delete()
    Member.objects.filter(project=project, user__in=users).delete()
    # Their other projects, if a file of those named them too, keep them.
    User.objects.filter(pk__in=users, labelling_projects=None).delete()
    locked.state, locked.undone_by, locked.undone_at = ImportState.UNDONE, act.actor, act.now
    locked.save(update_fields=["state", "undone_by", "undone_at"])
    act.note(
        "import-undo",
        project,
        file=locked.file_name,
        captions=undoing.captions,
        annotations=undoing.annotations,
    )
    return undoing


def _assignments_free(record: Import) -> None:
    """Give captions that stay the assignments back that answers of the file took."""
    stored: dict[str, Any] = record.copies
    grown = {int(item): int(more) for item, more in stored.items()}
    taken: dict[int, list[Assignment]] = defaultdict(list)
    # Those of answers that were asked for again are free by now.
    free_already = Q(item__in=grown, user=None, done=False)
    rows = Assignment.with_removed.filter(
        Q(annotation__imported_in=record) | free_already, test=False
    )
    for row in rows.exclude(item__imported_in=record).order_by("item", "-number"):
        taken[row.item_id].append(row)
    surplus = [row.pk for item, rows in taken.items() for row in rows[: grown.get(item, 0)]]
    free = [row.pk for item, rows in taken.items() for row in rows[grown.get(item, 0) :]]
    Assignment.with_removed.filter(pk__in=surplus).delete()
    Assignment.with_removed.filter(pk__in=free).update(user=None, done=False, expires_at=None)
    items = Item.with_removed.in_bulk(grown)
    for pk, item in items.items():
        item.copies = max(1, item.copies - min(grown[pk], len(taken[pk])))
    Item.with_removed.bulk_update(items.values(), ["copies"], batch_size=200)
