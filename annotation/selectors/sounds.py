"""What captions sound like, where they are of clips of this site."""

from collections.abc import Iterable

from annotation.models import Item, Project
from leaderboard.models import User
from leaderboard.selectors.audio import audible, origin_of


def sounds_of(items: Iterable[Item]) -> dict[int, str]:
    """Give the addresses of the captions' sounds by the captions' ids, in two queries."""
    clips = {
        item.pk: (item.reference_set_id, item.clip)
        for item in items
        if item.reference_set_id is not None and item.clip is not None
    }
    found = audible(clips.values())
    return {pk: found[clip] for pk, clip in clips.items() if clip in found}


def hears(user: User, reference_set: int, position: int) -> bool:
    """Tell whether a clip is of a caption in a project that ``user`` is a member of."""
    return Item.objects.filter(
        reference_set=reference_set, clip=position, project__members__user=user
    ).exists()


def origins_of(project: Project) -> list[str]:
    """List the servers elsewhere from which captions of a project sound."""
    addresses = (
        Item.objects.filter(project=project, reference_set__isnull=False)
        .exclude(reference_set__audio_base_url="")
        .order_by()
        .values_list("reference_set__audio_base_url", flat=True)
        .distinct()
    )
    return sorted({origin_of(address) for address in addresses})
