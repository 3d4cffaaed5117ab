"""What the card says of the projects that captions went through."""

import pytest

from annotation.models import DataSet
from annotation.selectors.data_sets.card import data_card
from annotation.selectors.data_sets.card_markdown import card_markdown
from annotation.selectors.data_sets.publication import publication_preview
from annotation.selectors.data_sets.stages import captions_asked, source_projects
from annotation.services.answers import AnswerChange, annotation_save
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.data_sets.made import make_data_set
from tests.annotation.kinds.conftest import Workshop, make_workshop, ratings


@pytest.fixture
def rated(db: None) -> Workshop:
    """A project that rates what another wrote, with the ratings of two for one clip."""
    first, workshop = make_workshop("write"), make_workshop("rate")
    workshop.project.source = first.project
    workshop.project.save()
    rate(workshop, workshop.ann, (4, 1), (3, 4), (1, 4))
    rate(workshop, workshop.bob, (4, 2), (3, 3), (1, 4))
    return workshop


def rate(workshop: Workshop, user: User, *numbers: tuple[int, int]) -> None:
    change = AnswerChange(edit=f"edit-{user.pk}", base=0, value=ratings(*numbers))
    annotation_save(item=workshop.items[0], user=user, change=change, now=NOW)


@pytest.fixture
def data_set(rated: Workshop) -> DataSet:
    return make_data_set(rated.manager, clips=3, captions=2, source=rated.project)


def test_stages_come_in_order_with_people_answers_and_agreement(
    data_set: DataSet, rated: Workshop
) -> None:
    assert source_projects(data_set) == [rated.project.source, rated.project]
    written, judged = data_card(data_set)["stages"]
    assert (written["work"], written["people"], written["agreement"]) == ("Write captions", 0, [])
    assert (judged["work"], judged["people"], judged["answers"]) == ("Rate captions", 2, 2)
    assert (judged["items"], judged["answers_asked"]) == (len(rated.items), 2 * len(rated.items))
    accuracy, fluency = judged["agreement"]
    assert (accuracy["scale"], accuracy["alpha"], accuracy["captions"]) == ("accuracy", 1.0, 3)
    assert 0 < fluency["alpha"] < 1
    markdown = card_markdown(data_card(data_set))
    assert "| accuracy | 1.000 | 3 |" in markdown


def test_as_many_captions_are_asked_for_as_are_kept(data_set: DataSet, rated: Workshop) -> None:
    rated.project.kind_options = {"keep": 3}
    rated.project.save()
    data_set.refresh_from_db()
    assert captions_asked(data_set) == 3
    preview = publication_preview(data_set, "")
    assert (preview.asked, preview.fewer) == (3, 3)


def test_a_data_set_of_a_file_has_no_stages(db: None) -> None:
    data_set = make_data_set(clips=2, captions=2)
    assert data_card(data_set)["stages"] == []
    assert captions_asked(data_set) is None
    assert publication_preview(data_set, "").fewer == 0
