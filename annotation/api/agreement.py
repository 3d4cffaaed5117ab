"""How people agree."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router, Schema
from pydantic import Field

from annotation import access
from annotation.agreement.measures import ALPHA, OF_PAIR, Definition, Estimate, LabelAgreement
from annotation.selectors.agreement.answers import AgreementData, AnswerVersion, agreement_stamp
from annotation.selectors.agreement.report import AgreementReport, agreement_report
from annotation.services.answers import agreement_note_shown
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import cached_json


class EstimateOut(Schema):
    """A value with its 95 % interval; null where it is not defined."""

    value: float | None
    low: float | None
    high: float | None
    n: int = Field(description="Words, or spans, that it counts.")


class MeasureOut(EstimateOut):
    """A measure with what it is."""

    name: str
    title: str
    definition: str

    @classmethod
    def of(cls, info: Definition, estimate: Estimate) -> "MeasureOut":
        """Describe a measure with its value."""
        return cls(name=info.name, title=info.title, definition=info.text, **asdict(estimate))


class PersonOut(Schema):
    """Someone who labelled; the name is a number to all but managers."""

    number: int
    name: str


class PairKappaOut(Schema):
    """A pair with Cohen's kappa over all words."""

    one: int = Field(description="Number of a person.")
    other: int
    captions: int
    kappa: EstimateOut


class AgreedLabelOut(Schema):
    """How the pair agrees on a label; "O" is none."""

    label: str
    one: int | None = Field(
        description="Words to which the first gives it; null for those who settle blind."
    )
    other: int | None
    both: int
    f1: EstimateOut

    @classmethod
    def of(cls, row: LabelAgreement, *, blind: bool) -> "AgreedLabelOut":
        """Describe a label."""
        one, other = (None, None) if blind else (row.one, row.other)
        f1 = EstimateOut.from_orm(row.f1)
        return cls(label=row.name, one=one, other=other, both=row.both, f1=f1)


class StretchOut(Schema):
    """Kappa of the pair over some captions, numbered in the order of time."""

    first: int
    last: int
    until: datetime | None
    kappa: EstimateOut = Field(validation_alias="agreement")


class PairOut(Schema):
    """Everything of one pair. ``confusion``: words by labels of one (rows) and the other.

    To adjudicators who are no managers it counts the words of any two people, both ways
    alike: they settle without knowing who said what.
    """

    one: int
    other: int
    captions: int
    measures: list[MeasureOut]
    labels: list[AgreedLabelOut]
    confusion: list[list[int]]
    trend: list[StretchOut]


class LeftOutOut(Schema):
    """Work that takes no part."""

    rejected: int
    skipped: int
    surplus: int = Field(description="Annotations beyond the places of a caption.")
    alone: int = Field(description="Captions that one person alone accepted so far.")
    late: int = Field(description="First accepted when their maker could know what others say.")
    inventory: int = Field(description="Labels of another inventory, which a file brought.")
    yours: int = Field(description="Captions that you may still label.")


class DisputedOut(Schema):
    """A caption on which people differ."""

    item: int
    words: list[int] = Field(description="The words in dispute, from 0.")
    share: float


class AgreementOut(Schema):
    """How people agree; ``pair`` and ``alpha`` are null before two accepted one caption."""

    captions: int
    answers: AnswerVersion = Field(
        description="Compared as they were first accepted, or as they stand."
    )
    changed: int = Field(description="Annotations that do not stand as they were first accepted.")
    changed_late: int = Field(
        description="Those of them that were changed when their maker could know what others say."
    )
    names: list[str] = Field(description="Labels in the order of the confusion matrix.")
    people: list[PersonOut]
    pairs: list[PairKappaOut]
    pair: PairOut | None
    alpha: MeasureOut | None
    disputes: list[DisputedOut]
    left_out: LeftOutOut

    @classmethod
    def of(cls, data: AgreementData, report: AgreementReport | None) -> "AgreementOut":
        """Describe agreement."""
        disputes = report.disputes if report else ()
        return cls.model_validate(
            {
                "captions": len(data.captions),
                "answers": data.answers,
                "changed": data.changed,
                "changed_late": data.late,
                "names": data.names,
                "people": report.people if report else (),
                "pairs": [
                    {**row, "one": row["one"].number, "other": row["other"].number}
                    for row in (report.pairs if report else ())
                ],
                "pair": _pair(report) if report else None,
                "alpha": MeasureOut.of(ALPHA, report.alpha) if report else None,
                "disputes": [
                    {"item": row.caption.key, "words": row.words, "share": row.share}
                    for row in disputes
                ],
                "left_out": {**dict.fromkeys(LeftOutOut.model_fields, 0), **data.left_out},
            }
        )


def _pair(report: AgreementReport) -> dict[str, Any]:
    pair = report.measured
    return {
        "one": report.pair[0].number,
        "other": report.pair[1].number,
        "captions": pair.captions,
        "measures": [MeasureOut.of(info, pair.measures[info.name]) for info in OF_PAIR],
        "labels": [AgreedLabelOut.of(row, blind=report.blind) for row in pair.labels],
        "confusion": report.table,
        "trend": report.trend,
    }


router = Router(tags=["For labelling"])
# Numbers of people; more digits than a database's own numbers have mean nobody.
_MOST = 2**31


@router.get(
    "/labelling/{slug:project}/agreement",
    auth=KNOWN,
    response={200: AgreementOut, 503: Problem},
    operation_id="labelling_agreement",
    summary="Read how people agree",
)
def agreement(
    request: UserRequest,
    project: str,
    one: QueryEx[int | None, P(ge=1, le=_MOST, description="Number of a person.")] = None,
    other: QueryEx[int | None, P(ge=1, le=_MOST, description="Number of another one.")] = None,
    answers: QueryEx[AnswerVersion, P(description="As first accepted, or as they are now.")] = (
        AnswerVersion.FIRST
    ),
) -> HttpResponse:
    """Every measure of a pair (of the one with most captions where none is named).

    For managers and adjudicators; for annotators once the project is closed. Captions that
    you may still label take no part.
    """
    found = access.agreement_for(request.auth, project)
    agreement_note_shown(project=found, user=request.auth, now=timezone.now())
    viewer = access.viewer_for(request.auth, found)
    return cached_json(
        request,
        "agreement",
        (agreement_stamp(found), viewer, one, other, answers),
        lambda: AgreementOut.of(*agreement_report(found, viewer, one, other, answers)),
    )
