"""What would be published of a data set, before it is."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from annotation.models import CaptionFinding, DataSet, Publication, Verdict
from annotation.selectors.data_sets.clips import captioned_clips, references_of_clips
from annotation.selectors.data_sets.findings import kind_title
from annotation.selectors.data_sets.stages import captions_asked, sounds_of


@dataclass(frozen=True, slots=True)
class PublicationPreview:
    """What a part would become.

    ``asked`` is how many captions each clip was to have, or has at most where nobody asked for a
    number; ``fewer`` clips have fewer. Clips ``without`` captions are not published.
    ``findings`` are those nobody has decided, by kind, ``earlier`` publications of the part.
    """

    part: str
    clips: int
    captions: int
    without: int
    asked: int
    fewer: int
    sounds: int
    findings: tuple[tuple[str, int], ...]
    content_hash: str
    earlier: tuple[Publication, ...]


def publication_preview(data_set: DataSet, part: str) -> PublicationPreview:
    """Describe a part ("": all) as a reference set."""
    clips = captioned_clips(data_set, part)
    said = [clip for clip in clips if clip.captions]
    counts = Counter(len(clip.captions) for clip in said)
    asked = captions_asked(data_set) or max(counts, default=0)
    sounds = sounds_of(data_set)
    earlier = data_set.publications.filter(part=part).select_related(
        "phase__challenge", "by", "reference_set"
    )
    return PublicationPreview(
        part=part,
        clips=len(said),
        captions=sum(len(clip.captions) for clip in said),
        without=len(clips) - len(said),
        asked=asked,
        fewer=sum(clips for number, clips in counts.items() if number < asked),
        sounds=sum(clip.file_name in sounds for clip in said),
        findings=_open_findings(data_set, part),
        content_hash=references_of_clips(said).content_hash if said else "",
        earlier=tuple(earlier.defer("card", "reference_set__payload", "reference_set__card")),
    )


def _open_findings(data_set: DataSet, part: str) -> tuple[tuple[str, int], ...]:
    rows = CaptionFinding.objects.filter(caption__clip__data_set=data_set, verdict=Verdict.OPEN)
    if part:
        rows = rows.filter(caption__clip__part=part)
    counts = rows.order_by().values_list("kind").annotate(n=Count("pk"))
    return tuple((kind_title(kind), count) for kind, count in sorted(counts))
