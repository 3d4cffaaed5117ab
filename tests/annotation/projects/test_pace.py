"""The pace of people: medians and spread, what deserves a look, and who sees it."""

from datetime import timedelta

from annotation.models import Annotation
from annotation.selectors.pace import TimedAnswer, paces, paces_of
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import label
from tests.annotation.projects.manage_page import page, show


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


def test_answers_from_a_file_have_no_pace(crew: Crew) -> None:
    label(crew.items[0], crew.ann)
    Annotation.objects.update(extra={"line": "{}"})
    assert paces_of(crew.project) == {}


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
