"""Submissions as the API takes and gives them."""

import json
import math
import re
from datetime import datetime
from typing import Annotated, Any

from django.core.exceptions import ValidationError
from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, Field

from earmark.packages.metadata_files import metadata_of
from leaderboard.api.schemas.scores import ScoreOut
from leaderboard.models import EvaluationState
from leaderboard.selectors.evaluations.progress import State
from leaderboard.services.submissions.accepting import SystemDescription
from leaderboard.web.public_names import RowNameField

METADATA_CHARS = 20_000
METADATA_DEPTH = 8
# What databases refuse in text: NUL and halves of surrogate pairs; and other
# control characters than line ends and tabs, which nobody means to write.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def tidy_name(value: str) -> str:
    """Tidy a name as the pages do; none at all is left to the metadata."""
    if not value.strip():
        return ""
    try:
        return str(RowNameField(max_length=80).clean(value))
    except ValidationError as error:
        raise ValueError(" ".join(error.messages)) from error


def name_given(value: str) -> str:
    """Tidy a name that must be there."""
    name = tidy_name(value)
    if not name:
        raise ValueError("The name is empty.")
    return name


def metadata_bounded(value: dict[str, Any]) -> dict[str, Any]:
    """Check that an object is not too large to be kept."""
    _check_value(value, METADATA_DEPTH)
    if len(json.dumps(value)) > METADATA_CHARS:
        raise ValueError(f"The object is larger than {METADATA_CHARS:,} characters.")
    return value


def storable(value: str) -> str:
    """Refuse text with control characters."""
    if _UNSTORABLE.search(value):
        raise ValueError("The text holds control characters. Take them out.")
    return value


def metadata_object(value: str) -> str:
    """Check that a text is a JSON object that can be stored."""
    metadata_read(value)
    return value


def metadata_read(text: str) -> dict[str, Any]:
    """Read metadata; raises ValueError for all that is not a plain JSON object."""
    if not text.strip():
        return {}
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            'This is not JSON. Write an object such as {"ensemble": false}.'
        ) from error
    if not isinstance(metadata, dict):
        # Pydantic makes an answer of a ValueError only.
        raise ValueError(  # noqa: TRY004
            'This is not a JSON object. Write one such as {"ensemble": false}.'
        )
    _check_value(metadata, METADATA_DEPTH)
    return metadata


def _check_value(value: object, depth: int) -> None:
    if depth == 0:
        raise ValueError(f"The object is nested deeper than {METADATA_DEPTH} levels.")
    if isinstance(value, str):
        storable(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("NaN and infinity are not JSON. Write null instead.")
    elif isinstance(value, dict):
        for key, item in value.items():
            storable(key)
            _check_value(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check_value(item, depth - 1)


class SubmissionIn(Schema):
    """The system behind a file; the file itself is the part ``file``."""

    system_name: Annotated[str, AfterValidator(tidy_name)] = Field(
        default="",
        max_length=80,
        description="Stands on the leaderboard beside the team's name. May be left out where the "
        "metadata file has a name or a label.",
    )
    team: str = Field(
        default="",
        max_length=50,
        pattern=r"^[-a-zA-Z0-9_]*$",
        description="The team's slug; may be left out by a person of one team.",
    )
    description: Annotated[str, AfterValidator(storable)] = Field(default="", max_length=2000)
    metadata: Annotated[str, BeforeValidator(metadata_object)] = Field(
        default="",
        max_length=METADATA_CHARS,
        description="A JSON object with DCASE's fields, nested as in its files or flat; stands "
        "before what the metadata file says.",
    )
    package_system: Annotated[str, AfterValidator(storable)] = Field(
        default="",
        max_length=200,
        description="Which of several systems of a package: its label, or the number at its end.",
    )

    @property
    def system(self) -> SystemDescription:
        """The system as the service takes it."""
        return SystemDescription(
            self.system_name, self.description.strip(), metadata_read(self.metadata)
        )


class EditIn(Schema):
    """What is to be said of a system from now on; what is left out stays as it is."""

    system_name: Annotated[str, AfterValidator(name_given)] | None = Field(
        default=None, max_length=80
    )
    description: Annotated[str, AfterValidator(storable)] | None = Field(
        default=None, max_length=2000
    )
    metadata: Annotated[dict[str, Any], AfterValidator(metadata_bounded)] | None = Field(
        default=None, description="Takes the place of all metadata; DCASE's fields."
    )

    @property
    def changes(self) -> dict[str, Any]:
        """The changes as the service takes them."""
        metadata = None if self.metadata is None else metadata_of(self.metadata).value
        text = None if self.description is None else self.description.strip()
        return {"system_name": self.system_name, "description": text, "metadata": metadata}


class TeamRef(Schema):
    """A team."""

    slug: str
    name: str


class FamilyState(Schema):
    """How far one metric family is."""

    family: str
    label: str
    state: EvaluationState
    clips_done: int
    clips_total: int
    attempts: int
    reason: str = Field(description="Why it failed, or why it has to be tried again.")


class FileOut(Schema):
    """The file as it came."""

    name: str
    sha256: str


class Links(Schema):
    """Where to go from here."""

    self: str
    page: str
    metrics: str
    phase: str


class WaitingOut(Schema):
    """The place of a submission that waits or is scored, and how long it will likely take."""

    submissions_before: int = Field(description="About how many are served before it.")
    low_seconds: Annotated[float | None, BeforeValidator(lambda ends: ends and ends[0])] = Field(
        validation_alias="seconds", description="null: nobody knows, see unserved_queues."
    )
    high_seconds: Annotated[float | None, BeforeValidator(lambda ends: ends and ends[1])] = Field(
        validation_alias="seconds"
    )
    rough: bool = Field(description="Whether too little was scored here to know the time.")
    unserved_queues: list[str] = Field(
        validation_alias="unserved", description="Where it waits and no worker was seen."
    )
    sentence: str = Field(description="The same in words.")


class SubmissionOut(Schema):
    """A submission: how far it is and what was found."""

    id: str
    challenge: str
    phase: str
    team: TeamRef
    system_name: str
    description: str
    label: str = Field(description="As DCASE writes it; empty: none was given.")
    metadata: dict[str, Any] = Field(
        description="DCASE's fields; people are named to the team and the organisers only."
    )
    has_report: bool = Field(description="Whether there is a report that you may read.")
    submitted_at: datetime
    chosen: bool
    withdrawn_at: datetime | None = Field(description="When its team withdrew it.")
    disqualified_at: datetime | None = Field(description="When organisers disqualified it.")
    state: State = Field(description="partly: all is decided, and some metrics are unavailable.")
    progress: float = Field(description="Share of the work that is done, 0 to 1.")
    eta_seconds: float | None = Field(description="Time left; null: no honest guess.")
    waiting: WaitingOut | None = Field(description="null once nothing waits or is scored.")
    families: list[FamilyState]
    metrics: dict[str, ScoreOut]
    file: FileOut | None = Field(description="For the team and the organisers only.")
    warnings: list[str] | None = Field(description="For the team and the organisers only.")
    links: Links


class MetricsOut(Schema):
    """The scores of a submission."""

    id: str
    state: State
    metrics: dict[str, ScoreOut]
