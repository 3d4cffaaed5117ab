"""Which captions of a project have a recording of the project's own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Sum
from django.urls import reverse

from annotation.models import Item, Project, Sound
from annotation.models.project import LONGEST_NAME

# Under this key of its meta a caption says of which sound it is.
NAME = "file_name"


def sound_name(item: Item) -> str:
    """The name of the sound that a caption is of, "" where it says none that can be one."""
    return _named(item.meta)


def _named(meta: Mapping[str, Any]) -> str:
    name = meta.get(NAME)
    return name if isinstance(name, str) and name.strip() and len(name) <= LONGEST_NAME else ""


def captions_by_name(project: Project) -> Counter[str]:
    """How many captions name each sound; those that name none are counted under ""."""
    return Counter(map(_named, project.items.values_list("meta", flat=True).iterator(500)))


def sound_addresses(items: Iterable[Item]) -> dict[int, str]:
    """The addresses of the projects' own sounds of captions, by the captions' ids."""
    wanted = [(item, name) for item in items if (name := sound_name(item))]
    if not wanted:
        return {}
    rows = Sound.objects.filter(
        project__in={item.project_id for item, _ in wanted}, file_name__in={n for _, n in wanted}
    ).select_related("project")
    addresses = {
        (row.project_id, row.file_name): reverse(
            "annotation:sound", args=[row.project.slug, row.pk]
        )
        for row in rows
    }
    keys = {item.pk: (item.project_id, name) for item, name in wanted}
    return {pk: addresses[key] for pk, key in keys.items() if key in addresses}


def sound_coverage(project: Project) -> dict[str, Any]:
    """How much of a project sounds: ``sounds`` of ``size`` bytes, and captions by what they have.

    ``without`` are the names of sounds that captions name and nobody brought, by name.
    """
    names = captions_by_name(project)
    have = set(project.sounds.values_list(NAME, flat=True))
    size = project.sounds.aggregate(size=Sum("size"))["size"] or 0
    return {
        "sounds": len(have),
        "size": size,
        "captions": names.total(),
        "sounding": sum(count for name, count in names.items() if name in have),
        "unnamed": names[""],
        "without": sorted(set(names) - have - {""}),
    }
