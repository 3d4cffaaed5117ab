"""How far the work is: the pace of the present sitting, and nothing from too few answers."""

from datetime import timedelta

import pytest

from annotation.selectors.projects import _pace, project_progress
from annotation.services.answers import AnswerChange, annotation_save
from tests.annotation.conftest import NOW, Crew


@pytest.mark.parametrize(
    ("minutes", "pace"),
    [
        ([], None),
        ([0, 1, 2, 3], None),  # too few to say
        ([0, 1, 2, 3, 4], 60.0),
        ([0, 0, 0, 0, 0], None),  # came in together, after a time without a network
        ([-200, -199, -100, 0, 2, 4, 6, 8, 10], 30.0),  # pauses are no work
    ],
)
def test_the_pace_is_that_of_this_sitting(minutes: list[int], pace: float | None) -> None:
    times = [NOW + timedelta(minutes=minute) for minute in sorted(minutes, reverse=True)]
    assert _pace(times) == pace


def test_a_project_is_done_where_all_its_assignments_are(crew: Crew) -> None:
    for user in (crew.ann, crew.bob):
        change = AnswerChange(edit=f"edit-{user.pk}", base=0, spans=[], flagged=user == crew.ann)
        annotation_save(item=crew.items[0], user=user, change=change, now=NOW)
    whole = project_progress(crew.project)
    assert (whole.items, whole.items_done, whole.assignments, whole.assignments_done) == (
        4,
        1,
        8,
        2,
    )
    assert (whole.flagged, whole.share) == (1, 0.25)
