"""The profile of a system as the API gives it: the numbers of its page."""

from typing import Annotated, Literal

from ninja import Schema
from pydantic import BeforeValidator, Field

from leaderboard.api.schemas.analysis import SystemRef
from leaderboard.selectors.analysis.profile import SeveralCandidates, SystemProfile, families_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


class EventOut(Schema):
    """One sound event, counted in clips."""

    event: str = Field(validation_alias="name")
    family: str = Field(
        validation_alias="group", description="The family of AudioSet that it belongs to."
    )
    named_by_references: int = Field(validation_alias="in_references")
    heard: int = Field(description="Clips in which references and system name it.")
    left_out: int = Field(
        validation_alias="missed", description="Clips in which references alone name it."
    )
    imagined: int = Field(description="Clips in which the system alone names it.")
    recall: float | None
    precision: float | None
    left_out_in: int | None = Field(
        validation_alias="missed_in", description="Number of a clip in which it is left out."
    )
    imagined_in: int | None = Field(description="Number of a clip in which it is imagined.")


class FamilyOut(Schema):
    """The events of one family of AudioSet together."""

    family: str = Field(validation_alias="name")
    named_by_references: int = Field(validation_alias="in_references")
    heard: int
    recall: float | None
    precision: float | None


class Count(Schema):
    """How many captions have this number of something."""

    number: int
    captions: int


# Made of a mapping from numbers to captions.
Counts = Annotated[
    list[Count],
    BeforeValidator(
        lambda counts: [{"number": key, "captions": counts[key]} for key in sorted(counts)]
    ),
]


class BothCounts(Schema):
    """Counts of the system beside those of the references."""

    system: Counts
    references: Counts


class TagOut(Schema):
    """A class that SBF counts as a false alarm or a miss."""

    name: str
    clips: int
    weight: float = Field(description="Clips, each by the share of references that bear it out.")
    example: int = Field(description="Number of a clip.")


class LabelOut(Schema):
    """A descriptor label: clips whose references have it, and those whose caption does too."""

    label: str = Field(validation_alias="name")
    clips: int = Field(validation_alias="in_references")
    covered: int
    share: float


class Flaw(Schema):
    """An error class of the fluency detector, with the captions it is likeliest in."""

    kind: str
    captions: int


class WritingOut(Schema):
    """How one side writes."""

    captions: int
    mean_words: float = Field(validation_alias="mean_length")
    vocabulary: int = Field(description="Different words.")
    distinct: int = Field(description="Different captions.")
    lengths: Counts = Field(description="Captions by number of words.")


class CandidatesOut(Schema):
    """Means over clips where the first so many candidates count; null where unknown."""

    candidates: int
    clips_with_fewer: int = Field(description="Clips that keep the value of all they have.")
    spice_plus_precision: float | None
    spice_plus_recall: float | None
    spice_plus_emb: float | None
    spider_of_best: float | None

    @classmethod
    def all_of(cls, found: SeveralCandidates) -> "list[CandidatesOut]":
        """List the means by number of candidates."""
        tuples = [(None, None, None)] * found.most
        rows = tuples if found.tuples is None else found.tuples.tolist()
        best = [None] * found.most if found.best is None else found.best.tolist()
        return [
            cls(
                candidates=at + 1,
                clips_with_fewer=found.fewer[at],
                spice_plus_precision=rows[at][0],
                spice_plus_recall=rows[at][1],
                spice_plus_emb=rows[at][2],
                spider_of_best=best[at],
            )
            for at in range(found.most)
        ]


_SIDES = ("system", "references")


class ProfileOut(SystemRef):
    """What the details of all clips of a system add up to; null where a metric has none."""

    events: list[EventOut] | None
    families: list[FamilyOut] | None
    events_per_caption: BothCounts | None
    false_alarms: list[TagOut] | None = Field(description="The heaviest.")
    misses: list[TagOut] | None = Field(description="The heaviest.")
    labels: list[LabelOut] | None
    flaws: list[Flaw] | None
    writing: dict[Literal["system", "references"], WritingOut]
    by_candidates: list[CandidatesOut] | None = Field(
        description="From 1 candidate to the most that a clip has; null without several."
    )

    @classmethod
    def of(
        cls, submission: AnySubmission, profile: SystemProfile, several: SeveralCandidates | None
    ) -> "ProfileOut":
        """Describe a profile."""
        return cls.model_validate(
            {
                "public_id": submission.public_id,
                "system_name": submission.system_name,
                "team_slug": submission.team.slug,
                "team_name": submission.team.name,
                "events": profile.events,
                "families": None if profile.events is None else families_of(profile.events),
                "events_per_caption": profile.counts
                and dict(zip(_SIDES, profile.counts, strict=True)),
                "false_alarms": profile.false_alarms,
                "misses": profile.misses,
                "labels": profile.labels,
                "flaws": profile.flaws
                and [{"kind": kind, "captions": count} for kind, count in profile.flaws],
                "writing": dict(zip(_SIDES, profile.writing, strict=True)),
                "by_candidates": None if several is None else CandidatesOut.all_of(several),
            }
        )
