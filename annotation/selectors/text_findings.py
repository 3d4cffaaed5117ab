"""What is found in a caption while somebody writes it."""

from annotation.kinds.caption_texts import one_line
from annotation.models import Annotation, Item
from annotation.selectors.sounds import NAME, sound_name
from earmark.datasets.findings import (
    WRITING_KINDS,
    CheckedCaptions,
    CheckFinding,
    CheckOptions,
    PlacedCaption,
    check_caption,
)

# The page counts the words itself.
KINDS = tuple(kind for kind in WRITING_KINDS if kind != "length")
# One is enough to know that the text is not of this sound alone.
SAME_TEXTS = 3


def text_findings(item: Item, text: str) -> list[CheckFinding]:
    """Findings in a text that is written for an item, compared with what is written for others.

    Only texts that are the same are compared with: nothing else is told of other people's work.
    """
    options = item.project.work_kind.options(item.project.kind_options)
    same = Annotation.objects.filter(item__project=item.project_id, value__text=one_line(text))
    # Captions of one sound may be items of their own.
    name = sound_name(item)
    same = same.exclude(**{f"item__meta__{NAME}": name}) if name else same.exclude(item=item)
    others = same.values_list("item", flat=True)[:SAME_TEXTS]
    known = CheckedCaptions(
        [PlacedCaption(str(other), 1, text) for other in others],
        options=CheckOptions(options["least"], options["most"]),
    )
    return check_caption(PlacedCaption(str(item.pk), 1, text), known, kinds=KINDS)
