"""Drawing pairs of a phase: by whom, of what, and what those who judge never learn."""

from typing import Any

import pytest

from annotation.models import Item, PairDraw, Project
from annotation.services.pairs import OtherPhase
from leaderboard.models import AuditEvent
from tests.annotation.judging.conftest import Court
from tests.factories import PhaseFactory
from tests.leaderboard.scored_pages import text


def form(court: Court, **changed: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "count": 8,
        "facets": ["HC", "HI", "HM", "MM"],
        "systems": [court.good.public_id, court.poor.public_id],
        "seed": 1,
    }
    return base | changed


def post(court: Court, user: Any = None, **changed: Any) -> Any:
    address = f"{court.address}pairs/?phase={court.phase.pk}"
    return court.client(user or court.manager).post(address, form(court, **changed))


def test_who_organises_a_phase_chooses_it_and_draws_pairs(court: Court) -> None:
    client = court.client(court.manager)
    listed = client.get(f"{court.address}pairs/").content.decode()
    assert f"{court.phase} (hidden references)" in text(listed.encode())
    shown = text(client.get(f"{court.address}pairs/?phase={court.phase.pk}").content)
    assert "The references of this phase are hidden." in shown
    assert "Good <b> (Team <One>)" in shown
    drawn = post(court)
    assert drawn["Location"] == f"{court.address}pairs/"
    assert Item.objects.filter(project=court.project).count() == 8
    assert PairDraw.objects.get().counts == {"HC": 2, "HI": 2, "HM": 1, "MM": 3}
    assert court.project.assignments.count() == 16
    assert AuditEvent.objects.filter(action="labelling.pairs").count() == 1
    page = client.get(f"{court.address}pairs/").content.decode()
    assert "Drawn so far" in page
    assert "<b> (Team" not in page


def test_items_are_of_clips_that_can_be_heard(court: Court) -> None:
    for item in court.draw():
        assert item.reference_set_id == court.phase.reference_set_id
        assert item.clip is not None
        assert item.meta["file_name"] == court.good.reference_set.read().file_names[item.clip]  # type: ignore[union-attr]


def test_those_who_judge_are_shown_two_captions_and_nothing_else(court: Court) -> None:
    court.draw()
    client = court.client(court.ann)
    told = client.post(
        "/api/v1/labelling/court/tasks", {"count": 6}, content_type="application/json"
    )
    for task in told.json()["tasks"]:
        item = Item.objects.get(pk=task["id"])
        rows = task["content"]["captions"]
        assert {row["key"]: row["text"] for row in rows} == dict(
            zip("ab", item.content["captions"], strict=True)
        )
        assert set(task["content"]) == {"captions"}
        assert set(task["meta"]) <= {"audio"}
    for kept in ("wav", court.good.public_id, "Poor", "HM", "sources", "facet"):
        assert kept not in told.content.decode()


def test_another_draw_adds_other_pairs_of_the_same_phase_alone(court: Court) -> None:
    court.draw()
    court.draw(each=1)
    assert Item.objects.filter(project=court.project).count() == 12
    texts = {(item.clip, frozenset(item.content["captions"])) for item in court.project.items.all()}
    assert len(texts) == 12
    other = PhaseFactory.create(challenge=court.phase.challenge)
    court.phase.pk = other.pk
    with pytest.raises(OtherPhase, match="come from another phase"):
        court.draw()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"count": 0}, "greater than or equal to 1"),
        ({"count": 5001}, "less than or equal to 5000"),
        ({"count": 500}, "are left to draw"),
        ({"facets": []}, "This field is required"),
        ({"facets": ["XX"]}, "not one of the available choices"),
        ({"systems": ["nobody"]}, "not one of the available choices"),
        ({"systems": []}, "MM needs 2 of them, but you chose 0"),
        ({"seed": -1}, "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_whole(
    court: Court, change: dict[str, Any], says: str
) -> None:
    refused = post(court, **change)
    assert refused.status_code == 422
    assert says in text(refused.content)
    assert not Item.objects.filter(project=court.project).exists()
    assert not PairDraw.objects.exists()


def test_only_who_organises_the_phase_draws(court: Court) -> None:
    address = f"{court.address}pairs/"
    people = (None, court.outsider, court.ann, court.helper, court.manager)
    assert [court.client(user).get(address).status_code for user in people] == [
        302,
        404,
        404,
        200,
        200,
    ]
    assert "You do not organise a phase" in text(court.client(court.helper).get(address).content)
    assert post(court, court.helper).status_code == 404
    assert post(court, court.ann).status_code == 404
    court.draw()
    shown = text(court.client(court.helper).get(address).content)
    assert "Only organisers of the phase" in shown
    assert post(court, court.helper).status_code == 404


def test_a_phase_of_others_is_none_to_choose(court: Court) -> None:
    other = PhaseFactory.create()
    answer = court.client(court.manager).get(f"{court.address}pairs/?phase={other.pk}")
    assert answer.status_code == 422
    assert "not one of the available choices" in text(answer.content)


@pytest.mark.parametrize("page", ["pairs/", "results/"])
def test_projects_of_other_work_have_no_such_page(court: Court, page: str) -> None:
    Project.objects.update(kind="write")
    assert court.client(court.manager).get(f"{court.address}{page}").status_code == 404


def test_sounds_are_the_phases_own(court: Court) -> None:
    client = court.client(court.manager)
    assert client.get(f"{court.address}sounds/").status_code == 404
    page = client.get(court.address).content.decode()
    assert f"{court.address}pairs/" in page
    assert f"{court.address}sounds/" not in page
