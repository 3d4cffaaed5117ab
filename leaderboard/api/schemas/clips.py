"""Single clips as the API gives them."""

from operator import itemgetter
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import BeforeValidator, Field

from leaderboard.selectors.clips.findings import ClipFilter
from scoring.metrics.facets import WRITTEN

MOST_CLIPS = 1_000_000
MOST_BESIDE = 5
Side = Literal["named", "found", "left_out", "imagined"]


class ClipChoice(Schema):
    """Which clips to give, and beside which systems, as the query of an address."""

    metric: str = Field(description="Name of a metric, such as cider_d.")
    sort: Literal["file", "worst", "best", "ahead", "behind", "spread"] = Field(
        "file",
        description="file: as in the references. ahead and behind: by how much better or worse "
        "the submission is than the first one of `with`. spread: best minus worst of all. Where "
        "signatures differ there is nothing to compare, and the order is that of the references. "
        "Clips without a value come last in all but file.",
    )
    q: str = Field(
        "", max_length=200, description="Words that name, caption or references must have."
    )
    beside: list[str] = Field(
        [],
        alias="with",
        max_length=MOST_BESIDE,
        description="Submissions of the same phase to give beside this one.",
    )
    event: str = Field(
        "", max_length=200, description="Only clips with this sound event, as CB-score finds them."
    )
    event_mode: Side = Field(
        "named",
        description="named by the references; found by the submission as well; left_out by it; "
        "imagined: named by the submission alone.",
    )
    error: str = Field(
        "",
        max_length=200,
        description="Only clips whose caption has this fluency error; any, or none of them.",
    )
    label: str = Field(
        "", max_length=200, description="Only clips with this descriptor, as ACES labels words."
    )
    label_mode: Side = Field("named", description="As event_mode.")
    tag: str = Field(
        "", max_length=200, description="Only clips with this AudioSet class, as SBF finds them."
    )
    tag_mode: Literal["left_out", "imagined"] = Field(
        "left_out", description="left_out: a miss; imagined: a false alarm."
    )
    offset: int = Field(0, ge=0, le=MOST_CLIPS, description="Clips to leave out first.")
    limit: int | None = Field(
        None, ge=1, le=MOST_CLIPS, description="Clips to give; all of them without."
    )

    @property
    def filters(self) -> list[ClipFilter]:
        """What the details of the clips must say."""
        asked = (
            ClipFilter("event", self.event_mode, self.event),
            ClipFilter("error", WRITTEN, self.error),
            ClipFilter("label", self.label_mode, self.label),
            ClipFilter("tag", self.tag_mode, self.tag),
        )
        return [one for one in asked if one.name]


class ComparedSystemOut(Schema):
    """A submission beside the one asked for."""

    id: str = Field(validation_alias="system.public_id")
    name: str = Field(validation_alias="system.system_name")
    signature: str = Field(description="Empty where the metric has no scores for it.")
    compared: bool = Field(
        validation_alias="comparable",
        description="Whether its values were computed in the same way.",
    )


class ComparedValueOut(Schema):
    """What another submission says of a clip; null where its value is not compared."""

    id: str = Field(validation_alias="system.public_id")
    caption: str
    value: float | None


class ClipValue(Schema):
    """One clip with a metric's value; null where the metric says nothing."""

    number: int = Field(
        validation_alias="line.number", description="Place in the references, from 1."
    )
    file_name: str = Field(validation_alias="line.file_name")
    caption: str = Field(validation_alias="line.caption")
    references: list[str] = Field(validation_alias="line.references")
    value: float | None = Field(validation_alias="line.value")
    difference: float | None = Field(
        validation_alias="gap",
        description="What ahead, behind and spread sort by; null in other orders.",
    )
    # The first is the submission itself.
    beside: Annotated[list[ComparedValueOut], BeforeValidator(itemgetter(slice(1, None)))] = Field(
        validation_alias="captions", description="In the order of `with`."
    )


class ClipValues(Schema):
    """One metric of the clips asked for."""

    metric: str
    signature: str
    total: int = Field(description="Clips that were found, of which these are some.")
    beside: list[ComparedSystemOut]
    clips: list[ClipValue]


class ClipScore(Schema):
    """A metric's value for one clip, beside that for the corpus."""

    value: float | None
    corpus: float | None
    signature: str = Field(description="Compare numbers only where signatures are equal.")


class ClipOut(Schema):
    """One clip with every metric's value and why it is so."""

    number: int = Field(description="Place in the references, from 1.")
    clips: int
    file_name: str
    audio: str | None = Field(description="Address of the recording on this site; null: none.")
    caption: str
    references: list[str]
    metrics: dict[str, ClipScore]
    details: dict[str, dict[str, Any]] = Field(
        description="What each metric family found; its shape is the family's own."
    )
    notes: dict[str, str] = Field(description="Why a metric family has no details (yet).")
