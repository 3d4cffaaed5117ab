"""Labellers of sound descriptors as the API takes and gives them."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import BeforeValidator, Field

from leaderboard.models import LabellerUse
from leaderboard.selectors.labellers.listing import StoredLabeller, uses_of


class LabellerLabelOut(Schema):
    """One label on captions that the labeller had not seen; shares 0 to 1."""

    label: str
    precision: float | None
    recall: float | None
    f1: float | None
    words: int | None


class LabellerScores(Schema):
    """What a labeller did on captions that it had not seen; null: not measured."""

    inventory: str
    measured_on: str = Field(
        validation_alias="how", description="Captions held out, or in how many folds."
    )
    micro: float | None = Field(description="Token micro F1 without O.")
    weighted: float | None = Field(description="Token F1 weighted by label, with O.")
    span: float | None = Field(description="F1 of exact spans.")
    accuracy: float | None = Field(description="Share of words with the right label.")
    captions: int | None = Field(description="Captions measured on.")
    labels: list[LabellerLabelOut]


class LabellerOut(Schema):
    """A labeller; ``identity`` stands in the signature of every score of ACES by it."""

    identity: str
    name: str
    in_use: bool
    shipped: bool = Field(description="Whether it comes with the installation.")
    origin: str
    labels: list[str]
    sha256: str = Field(
        description="Of what `sha256sum config.json model.safetensors` prints for its files."
    )
    size: int = Field(description="Bytes of the two files.")
    claimed: bool = Field(
        description="Whether data_hash, scores, recipe and report are its maker's word: it came "
        "from elsewhere, and nothing of them was measured here."
    )
    data_hash: str = Field(description="sha256 of the captions that it learned from, or empty.")
    scores: LabellerScores | None
    made_by: str
    made_at: datetime | None
    note: str


class UseOut(Schema):
    """When a labeller was put to use."""

    identity: str
    put_at: datetime
    put_by: Annotated[str, BeforeValidator(lambda user: user.get_username() if user else "")]
    reason: str


class LabellerDetail(LabellerOut):
    """A labeller with its recipe, its whole report, its history and the state of its files."""

    recipe: dict[str, Any]
    report: dict[str, Any]
    uses: list[UseOut]
    fault: str = Field(description="In what its files are not as they were stored, or empty.")

    @staticmethod
    def resolve_uses(stored: StoredLabeller) -> list[LabellerUse]:
        """When the labeller was put to use, the latest first."""
        return uses_of(stored.identity)
