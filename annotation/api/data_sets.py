"""Data sets in the making, as on their pages: card, statistics, split, publications."""

from datetime import datetime
from typing import Any, Literal

from ninja import P, QueryEx, Router, Schema
from pydantic import Field

from annotation import access
from annotation.models import DataSet
from annotation.selectors.data_sets.card import data_card
from annotation.selectors.data_sets.clips import captioned_clips, parts_of
from annotation.selectors.data_sets.splits import split_progress, split_report_page
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.refusals import Refused
from scoring.captions.faults import in_quotes
from scoring.datasets.describing import describe_captions, described_json

router = Router(tags=["Labelling"], auth=KNOWN)

PartName = QueryEx[str, P(max_length=40, description="Of the split; without: all clips.")]


class CardOut(Schema):
    """A data card; it names no person."""

    card: dict[str, Any]


class StatisticsOut(Schema):
    """Figures of captions, as ``describe_captions --json`` writes them; None without captions."""

    statistics: dict[str, Any] | None


class SplitRunOut(Schema):
    """The latest split, whatever became of it."""

    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    stage: str
    share: float | None = Field(description="Share of the work that is done, 0 to 1.")
    reason: str = Field(description="Why it failed.")


class SplitOut(Schema):
    """The split of a data set."""

    latest: SplitRunOut | None
    asked: dict[str, Any] | None = Field(description="What the split it has was asked for.")
    report: dict[str, Any] | None = Field(
        description="As `split_captions --json` writes it, with the words that break constraints "
        "and each word's clips by part."
    )


class PublicationOut(Schema):
    """That a part became references."""

    part: str
    at: datetime
    challenge: str | None
    phase: str | None
    clips: int
    captions: int
    content_hash: str


class PublicationsOut(Schema):
    """What was published of a data set, latest first."""

    publications: list[PublicationOut]


def _part(data_set: DataSet, part: str) -> str:
    if part and part not in parts_of(data_set):
        raise Refused(f"The data set has no part {in_quotes(part)}.", status=404)
    return part


@router.get(
    "/data-sets/{slug:data_set}/card",
    response={200: CardOut},
    operation_id="data_set_card",
    summary="Read the data card of a data set or a part",
)
def card(request: UserRequest, data_set: str, part: PartName = "") -> CardOut:
    """How the captions were made and what is in them; for those who work on the data set."""
    found = access.data_set_for(request.auth, data_set)
    return CardOut(card=data_card(found, _part(found, part)))


@router.get(
    "/data-sets/{slug:data_set}/statistics",
    response={200: StatisticsOut},
    operation_id="data_set_statistics",
    summary="Read statistics of the captions of a data set or a part",
)
def statistics(request: UserRequest, data_set: str, part: PartName = "") -> StatisticsOut:
    """Lengths, vocabulary and its growth, similarity; for those who work on the data set."""
    found = access.data_set_for(request.auth, data_set)
    clips = captioned_clips(found, _part(found, part))
    said = [clip.captions for clip in clips if clip.captions]
    return StatisticsOut(statistics=described_json(describe_captions(said)) if said else None)


@router.get(
    "/data-sets/{slug:data_set}/split",
    response={200: SplitOut},
    operation_id="data_set_split",
    summary="Read how far the split of a data set is, and its report",
)
def split(request: UserRequest, data_set: str) -> SplitOut:
    """The latest split and the report of the one that stands."""
    found = access.data_set_for(request.auth, data_set)
    progress, page = split_progress(found), split_report_page(found)
    latest = progress and {
        "state": progress.run.state,
        "stage": progress.run.stage,
        "share": progress.share,
        "reason": progress.run.reason,
    }
    return SplitOut.model_validate(
        {
            "latest": latest,
            "asked": page and page.asked,
            "report": page and page.report,
        }
    )


@router.get(
    "/data-sets/{slug:data_set}/publications",
    response={200: PublicationsOut},
    operation_id="data_set_publications",
    summary="List what was published of a data set",
)
def publications(request: UserRequest, data_set: str) -> PublicationsOut:
    """The references that parts became, latest first."""
    found = access.data_set_for(request.auth, data_set)
    rows = found.publications.select_related("phase__challenge", "reference_set")
    rows = rows.defer("card", "reference_set__payload", "reference_set__card")
    return PublicationsOut(
        publications=[
            PublicationOut(
                part=row.part,
                at=row.at,
                challenge=row.phase.challenge.slug if row.phase else None,
                phase=row.phase.slug if row.phase else None,
                clips=row.reference_set.clip_count,
                captions=row.reference_set.caption_count,
                content_hash=row.reference_set.content_hash,
            )
            for row in rows
        ]
    )
