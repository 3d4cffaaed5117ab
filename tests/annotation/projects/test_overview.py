"""The overview: the forecast of the end and its limits, and what waits for a decision."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from annotation.models import Annotation, Answer, Import, ImportState, Lateness
from annotation.selectors.captions.facts import Mark
from annotation.selectors.captions.matches import CaptionQuery, CaptionViewer, caption_matches
from annotation.selectors.overview import Forecast, forecast, pending_decisions
from annotation.selectors.progress import TimedAnswer, paces, paces_of, project_progress
from annotation.services.projects import Task, items_add
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import disputed_first, label
from tests.annotation.projects.manage_page import page, show

DAY = timedelta(days=1)
SAID = "this is no sound"


def answered_on(crew: Crew, days_ago: Sequence[float]) -> None:
    """Have ann answer one more caption on each of these days."""
    items = items_add(project=crew.project, tasks=[Task(f"x {n}") for n in range(len(days_ago))])
    for item, days in zip(items, days_ago, strict=True):
        label(item, crew.ann, now=NOW - days * DAY)


def end_of(crew: Crew) -> Forecast:
    return forecast(crew.project, project_progress(crew.project), NOW)


def test_the_end_is_a_range_from_the_slowest_to_the_fastest_recent_pace(crew: Crew) -> None:
    # 6 in the last 3 days, 10 in the last 7, 21 in 14.
    answered_on(crew, [1] * 6 + [5] * 4 + [10] * 10 + [13.9])
    end = end_of(crew)
    assert (end.week, end.left) == (10, 8 + 21)
    assert end.per_day == pytest.approx((10 / 7, 2.0))
    assert end.first == NOW + 29 / 2 * DAY
    assert end.last == NOW + 29 * 7 / 10 * DAY
    assert end.unknown == ""


@pytest.mark.parametrize(
    ("days", "why"),
    [
        ([], "less than 3 days old"),
        ([1] * 30, "less than 3 days old"),
        ([1] * 10 + [5] * 5, "Fewer than 20 answers"),
        ([5] * 30, "No answer came in the last 3 days"),
    ],
)
def test_it_says_why_the_end_cannot_be_told(crew: Crew, days: list[float], why: str) -> None:
    answered_on(crew, days)
    end = end_of(crew)
    assert why in end.unknown
    assert (end.per_day, end.first, end.last) == (None, None, None)


def test_answers_from_a_file_are_no_pace(crew: Crew) -> None:
    answered_on(crew, [1] * 10 + [5] * 20)
    Annotation.objects.update(extra={"line": "{}"})
    end = end_of(crew)
    assert end.week == 0
    assert end.unknown


def test_what_waits_for_a_decision_is_counted_and_linked(crew: Crew) -> None:
    assert "Nothing." in show(crew)
    disputed_first(crew)
    label(crew.items[1], crew.ann, answer=Answer.IGNORE)
    label(crew.items[1], crew.bob, answer=Answer.IGNORE)
    label(crew.items[2], crew.ann, answer=Answer.REJECT, comment=SAID)
    late = label(crew.items[3], crew.ann, (0, 0, "WHO"))
    Annotation.objects.filter(pk=late.pk).update(late=Lateness.SHOWN)
    Import.objects.create(
        project=crew.project, state=ImportState.WAITING, file_name="<b>x", sha256="0" * 64, at=NOW
    )
    pending = pending_decisions(crew.project, crew.manager)
    assert pending["disputed"] == 1
    assert pending["marks"] == {Mark.COMMENTED: 1, Mark.SKIPPED: 1, Mark.REJECTED: 1}
    assert (pending["late"], pending["uncounted"], len(pending["imports"])) == (1, 0, 1)
    html = show(crew)
    for said in (
        "1 caption in dispute",
        "1 caption skipped",
        "1 caption rejected",
        "1 late answer",
    ):
        assert said in html
    for mark, count in pending["marks"].items():
        # The list of captions has as many as the overview says; what was noted stands there alone.
        assert f"?mark={mark.value}" in html
        query = CaptionQuery(mark=mark)
        assert len(caption_matches(crew.project, CaptionViewer(True), query).rows) == count
    assert SAID not in html
    assert "&lt;b&gt;x" in html
    assert "No forecast of the end yet" in html


def answers(seconds: float | None, words: int = 4, count: int = 20) -> list[TimedAnswer]:
    return [TimedAnswer(seconds, words, accepted=True)] * count


def test_a_person_has_median_spread_and_words(crew: Crew) -> None:
    for item, seconds in zip(crew.items, (10.0, 20.0, 30.0, 60.0), strict=True):
        label(item, crew.ann, (0, 0, "WHO"), (1, 1, "WHAT"))
        Annotation.objects.filter(item=item).update(seconds=seconds)
    pace = paces_of(crew.project)[crew.ann.pk]
    assert (pace.answers, pace.timed, pace.seconds) == (4, 4, (17.5, 25.0, 37.5))
    assert (pace.words, pace.empty, pace.per_hour) == (2.0, 0.0, 144.0)
    assert pace.remarks == ()
    html = show(crew, "members/")
    assert "17.5 to 37.5" in html
    assert crew.client(crew.judge).get(page(crew, "members/")).status_code == 404


def test_without_a_time_it_is_that_since_the_answer_before_pauses_left_out(crew: Crew) -> None:
    for item, minute in zip(crew.items, (0, 1, 3, 60), strict=True):
        label(item, crew.ann, now=NOW + timedelta(minutes=minute))
    pace = paces_of(crew.project)[crew.ann.pk]
    assert (pace.timed, pace.seconds) == (2, (75.0, 90.0, 105.0))


def test_thousands_of_captions_an_hour_deserve_a_look() -> None:
    fast = paces({1: answers(3600 / 6376)})[1]
    assert fast.remarks[0].startswith("Half of the captions took less than 0.6 s each, 6,376 ")
    assert paces({1: answers(3600 / 6376, count=19)})[1].remarks == (), "too few to say"
    assert paces({1: answers(20)})[1].remarks == ()
    at_once = paces({1: answers(0)})[1]
    assert at_once.per_hour is None
    assert at_once.remarks[0].startswith("Half of the captions took less than 0.0 s each. ")


def test_who_is_far_from_the_others_deserves_a_look() -> None:
    others = {2: answers(40), 3: answers(50)}
    found = paces({1: answers(10, words=1), **others})
    assert found[1].remarks == (
        "Half of the captions took less than 10 s; others need 45 s.",
        "1.0 words with a label per caption; others have 4.0.",
    )
    assert found[2].remarks == found[3].remarks == ()
    bare = paces({1: answers(30, words=0), **others})[1]
    assert bare.remarks == ("100% of the accepted captions have no label.",)
