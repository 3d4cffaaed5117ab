"""How each text of a request is read for the fuzzer: addresses, fields of forms, bodies."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.http import QueryDict
from ninja import Schema
from pydantic import ValidationError as BodyFault

from annotation.api.answer_schemas import ChangeIn, KeysIn, TasksIn
from annotation.api.formats import ImportIn
from annotation.api.text_findings import TextIn
from annotation.kinds.work_kind import AnswerFault
from annotation.services.answers import AnswerChange
from annotation.spans import checked_spans, still_taken, tokenized
from earmark.metrics.composite.formula import formula_text, read_formula
from earmark.metrics.meteor.normalizer import words_of
from earmark.packages.metadata_files import metadata_of
from earmark.registry import METRICS
from earmark.text.ptb import tokenize
from leaderboard.api.metrics import TryIn
from leaderboard.api.schemas.submissions import EditIn, SubmissionIn, metadata_read
from leaderboard.forms.judging import AuditLogForm, SubmissionsFilter
from leaderboard.forms.local_time import LocalMomentField
from leaderboard.forms.playground import PlaygroundForm
from leaderboard.models import Phase
from leaderboard.selectors.lab.query import LabQuery, rules_in_words
from leaderboard.selectors.organising.challenges import ShownImage
from leaderboard.services.clips.audio import audio_base_url_checked
from leaderboard.services.playground.texts import texts_read
from leaderboard.templatetags.prose import _rendered
from leaderboard.views.board import asked_of
from leaderboard.views.clips.query import clip_list_query
from leaderboard.web.file_responses import Unsatisfiable, requested_range
from leaderboard.web.public_names import NameField, RowNameField
from leaderboard.web.refusals import Refused

# gunicorn refuses longer addresses.
LONGEST_QUERY = 4094
CAPTION = "A dog barks twice, then rain falls."
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
LABELS = frozenset({"WHO", "WHAT", "HOW", "WHEN", "WHERE"})


def _text(data: bytes) -> str:
    """A text of a request: Django replaces what is no UTF-8."""
    return data.decode("utf-8", "replace")


def board_query(data: bytes) -> list[str]:
    """The query of a leaderboard; what was understood is written as an address and read again."""
    asked = asked_of(_query(data))
    line: Any = SimpleNamespace(
        system_name="System",
        team_name="Team",
        metadata={
            "system": {
                "description": {"audio_modelling": "CNN14"},
                "complexity": {"total_parameters": "98,000,000"},
            }
        },
    )
    asked.filters.shows(line)
    written = asked.query(page=2)
    assert asked_of(QueryDict(written)).pairs() == asked.pairs()
    return []


def _query(data: bytes) -> QueryDict:
    return QueryDict(data[:LONGEST_QUERY].decode("latin-1"))


def _single(query: QueryDict) -> dict[str, str]:
    return {name: str(value) for name, value in query.dict().items()}


def lab_query(data: bytes) -> list[str]:
    """The query of a ranking lab, and its rules in words."""
    phase = Phase(ranking_metric="cider_d", precision=3)
    asked = LabQuery.read(_single(_query(data)), phase)
    rules_in_words(asked, phase, {}, {})
    assert LabQuery.read(_single(QueryDict(asked.query(phase))), phase).clips == asked.clips
    return []


def clips_query(data: bytes) -> list[str]:
    """The query of the explorer of clips."""
    request: Any = SimpleNamespace(GET=_query(data))
    submission: Any = SimpleNamespace(
        public_id="abc", phase=SimpleNamespace(ranking_metric="cider_d")
    )
    asked = clip_list_query(request, submission, list(METRICS.values()), listed=True)
    asked.query(page=2)
    return []


def filter_forms(data: bytes) -> list[str]:
    """The forms that narrow an organiser's lists."""
    query = _query(data)
    choices = {name: [("a", "A")] for name in ("phase", "state", "kind", "standing")}
    acts = [("phase.audio", "Audio")]
    for form in (AuditLogForm(query, acts=acts), SubmissionsFilter(query, choices=choices)):
        urlencode({**form.asked, **form.kept})
    return []


def fields(data: bytes) -> list[str]:
    """Fields that have a grammar of their own: times, names, addresses; and a range of bytes."""
    text = _text(data)
    moment = LocalMomentField()
    moment.set_up(ZoneInfo("Europe/Berlin"), None)
    checks: tuple[Callable[[str], object], ...] = (
        moment.clean,
        NameField(max_length=80).clean,
        RowNameField(max_length=80).clean,
        audio_base_url_checked,
        lambda header: requested_range(header, 10_000),
    )
    told = []
    for check in checks:
        try:
            check(text)
        except ValidationError as fault:
            told += fault.messages
        except (Refused, Unsatisfiable) as fault:
            told.append(f"{type(fault).__name__} {fault}")
    return told


def prose(data: bytes) -> list[str]:
    """Markdown of organisers: nothing in it may run, or load from elsewhere."""
    images = {"a": ShownImage("/images/0.webp", 1, 1, is_logo=False)}
    html = _rendered(_text(data), images).lower()
    for harm in ("<script", "<iframe", "<style", 'href="javascript:', 'href="data:'):
        assert harm not in html, harm
    assert html.count("<img") == html.count('<img src="/images/0.webp" alt="')
    return []


def formula(data: bytes) -> list[str]:
    """The formula of a composite; what is read is written, and read as the same again."""
    text = formula_text(read_formula(_text(data)))
    if formula_text(read_formula(text)) != text:
        raise AssertionError(text)
    return []


def tried_captions(data: bytes) -> list[str]:
    """The form of the playground: the first line is the caption, the others are references."""
    caption, _, lines = _text(data).partition("\n")
    form = PlaygroundForm({"caption": caption, "references": lines, "metric": lines[:20]})
    if form.is_valid():
        for text in (form.texts.caption, *form.texts.references):
            words_of(tokenize(text))
        return []
    return [str(fault) for faults in form.errors.values() for fault in faults]


@cache
def _words() -> list[dict[str, Any]]:
    return tokenized(CAPTION)


def _change(body: ChangeIn) -> None:
    change = AnswerChange(**body.dict())
    spans = checked_spans(change.spans, _words(), LABELS)
    still_taken(change.taken or (), spans)


def _nothing(_body: Any) -> None:
    """What the schema checks is all."""


BODIES: Mapping[type[Schema], Callable[[Any], object]] = {
    ChangeIn: _change,
    KeysIn: _nothing,
    TasksIn: _nothing,
    TextIn: _nothing,
    TryIn: lambda body: texts_read(caption=body.caption, references=body.references),
    EditIn: lambda body: body.changes,
    SubmissionIn: lambda body: metadata_of(metadata_read(body.metadata)),
    ImportIn: _nothing,
}
# Sent as the fields of a form, in which everything is text.
FORMS = {ImportIn, SubmissionIn}
# What these name is compared with what there is, and not stored.
COMPARED = {ChangeIn, ImportIn, TextIn}
_BY_NAME = {schema.__name__: (schema, check) for schema, check in BODIES.items()}


def bodies(data: bytes) -> list[str]:
    """A body of the API behind the name of its schema and a line end."""
    name, _, body = data.partition(b"\n")
    schema, check = _BY_NAME.get(name.decode("ascii", "replace"), (ChangeIn, _change))
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):  # the same that is caught around the API
        return ["Cannot parse request body"]
    if schema in FORMS and isinstance(value, dict):
        value = {name: str(content) for name, content in value.items()}
    try:
        found = schema.model_validate(value)
        check(found)
    except BodyFault as fault:
        return [row["msg"] for row in fault.errors(include_url=False, include_input=False)]
    except (AnswerFault, Refused) as fault:
        return [str(fault)]
    if schema not in COMPARED:
        _check_storable(found.model_dump(mode="json"))
    return []


def _check_storable(value: Any) -> None:
    """What is stored has no character that a database refuses."""
    text = json.dumps(value, ensure_ascii=False)
    text.encode()
    assert not _NUL.search(text), text[:200]
