"""Results of judging: who may see what, and what the votes say."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Item, PairDraw, Project
from annotation.selectors.judging.results import compared_pairs, judging_results
from annotation.selectors.judging.votes import JudgedPair, judgment_file, votes_of
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct
from earmark.benchmark import read_judgments
from earmark.captions.caption_checks import has_words
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW
from tests.annotation.judging.conftest import Court
from tests.factories import PhaseFactory
from tests.leaderboard.scored_pages import text


def page(court: Court, user: Any, query: str = "") -> Any:
    return court.client(user).get(f"{court.address}results/{query}")


def test_systems_kinds_of_pairs_and_judges_are_as_they_judged(court: Court) -> None:
    items = court.judge_all()
    found = judging_results(court.project, court.phase, named=True)
    assert [(row.name, row.rank) for row in found.systems] == [
        ("People", None),
        ("Good <b> (Team <One>)", 1),
        ("Poor (Two)", 2),
    ]
    strengths = [row.strength for row in found.systems]
    assert sum(strengths) == pytest.approx(0)
    assert all(row.interval.low <= row.strength <= row.interval.high for row in found.systems)
    assert found.systems[0].share > 0.5
    facets = {row["facet"]: row for row in found.facets}
    assert {facet: row["drawn"] for facet, row in facets.items()} == {
        facet: sum(item.content["facet"] == facet for item in items)
        for facet in ("HC", "HI", "HM", "MM")
    }
    assert facets["HI"]["first"] == facets["HM"]["first"] == facets["HC"]["alike"] == 1
    assert (found.nominal.value, found.ordinal.value) == (1, 1)
    assert {(row.agreement.share, row.agreement.answers) for row in found.judges} == {(1, 8)}
    shown = text(page(court, court.manager).content)
    for said in ("People", "Good <b> (Team <One>)", "16 votes", "Rank by CIDEr-D", "1.000"):
        assert said in shown


def test_results_are_for_managers_and_names_and_ranks_for_who_organises_the_phase(
    court: Court,
) -> None:
    court.judge_all()
    answer = page(court, court.helper)
    shown = text(answer.content)
    assert "System " in shown
    for kept in ("Good", "Poor", "Team <One>", "Rank by", court.good.public_id, "Download"):
        assert kept not in shown
    assert court.good.public_id not in answer.content.decode()
    people = (None, court.outsider, court.ann, court.helper, court.manager)
    for query, last in (("", [200, 200]), ("?format=json", [404, 200])):
        codes = [page(court, user, query).status_code for user in people]
        assert codes == [302, 404, 404, *last]
    assert page(court, court.manager, "?format=exe").status_code == 404


def test_a_project_without_pairs_or_votes_says_so_and_what_does_not_count_is_left_out(
    court: Court,
) -> None:
    assert "Draw some" in text(page(court, court.manager).content)
    items = court.draw()
    shown = text(page(court, court.manager).content)
    assert "0 votes" in shown
    assert "Systems ranked by judges" not in shown
    court.judge(items[0], court.ann, "a")
    project_set_closed(project=court.project, closed=True, act=ProjectAct(court.manager, NOW))
    court.judge(items[1], court.bob, "b")
    assert len(votes_of(court.project).pairs) == 1
    assert page(court, court.manager).status_code == 200


def test_the_file_is_read_back_by_the_benchmark(court: Court) -> None:
    court.judge_all()
    sent = page(court, court.manager, "?format=json")
    assert "attachment" in sent["Content-Disposition"]
    data = sent.getvalue()
    read = read_judgments(data)
    pairs = votes_of(court.project).pairs
    assert sorted((pair.facet, pair.truth) for pair in read.pairs) == sorted(
        (pair.facet, float(sum(pair.in_order.votes.values()))) for pair in pairs
    )
    assert {(pair.facet, pair.first.caption, pair.second.caption) for pair in read.pairs} == {
        (pair.facet, *pair.in_order.captions) for pair in pairs
    }
    assert all("file_name" not in item for item in json.loads(data))


def test_votes_of_a_clip_are_counted_whichever_caption_stands_first() -> None:
    sources = ({"system": "x"}, {"clip": 3, "reference": 0})
    votes = {1: 1, 2: 0, 3: -1, 4: 1}
    one = JudgedPair(3, "HM", ("one", "other"), sources, votes)
    turned = JudgedPair(5, "HM", ("other", "one"), sources[::-1], {1: 1})
    pairs, counts = compared_pairs([one, turned], ["", "x"])
    assert pairs.tolist() == [[0, 1]]
    assert counts.tolist() == [[[1, 2, 1]], [[1, 0, 0]]]


REFERENCES = [[f"person {number} on {clip}" for number in range(3)] for clip in range(4)]
# What a submission may hold.
CAPTION = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20).filter(
    has_words
)
VOTES = st.dictionaries(st.integers(1, 9), st.sampled_from([1, 0, -1]), min_size=1, max_size=5)


@st.composite
def judged(draw: st.DrawFn) -> JudgedPair:
    clip, facet = draw(st.integers(0, 3)), draw(st.sampled_from(["HC", "HI", "HM", "MM"]))
    own: dict[str, Any] = {"clip": clip, "reference": draw(st.integers(0, 2))}
    own_text = REFERENCES[clip][own["reference"]]
    machine: dict[str, Any] = {"system": draw(st.sampled_from(["x", "y"]))}
    first = (own, own_text) if facet != "MM" else (machine, draw(CAPTION))
    if facet == "HC":
        at = (own["reference"] + 1) % 3
        second = ({"clip": clip, "reference": at}, REFERENCES[clip][at])
    elif facet == "HI":
        second = ({"clip": (clip + 1) % 4, "reference": 0}, REFERENCES[(clip + 1) % 4][0])
    else:
        second = (machine, draw(CAPTION))
    sides = draw(st.permutations([first, second]))
    return JudgedPair(
        clip, facet, (str(sides[0][1]), str(sides[1][1])), (sides[0][0], sides[1][0]), draw(VOTES)
    )


@given(st.lists(judged(), min_size=1, max_size=20))
def test_pairs_come_back_with_their_captions_references_and_votes(pairs: list[JudgedPair]) -> None:
    read = read_judgments(judgment_file(pairs, dict(enumerate(REFERENCES))))
    told = sorted((pair.facet, pair.first.caption, pair.truth) for pair in read.pairs)
    assert told == sorted(
        (pair.facet, pair.in_order.captions[0], float(sum(pair.in_order.votes.values())))
        for pair in pairs
    )
    for pair in read.pairs:
        assert pair.first.caption not in pair.first.references or pair.facet == "MM"


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
    with pytest.raises(Refused, match="come from another phase"):
        court.draw()


def test_what_cannot_be_drawn_is_refused_whole(court: Court) -> None:
    for change, says in (
        ({"count": 500}, "are left to draw"),
        ({"facets": ["XX"]}, "not one of the available choices"),
        ({"systems": ["nobody"]}, "not one of the available choices"),
        ({"systems": []}, "MM needs 2 of them, but you chose 0"),
    ):
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


def test_pairs_are_of_an_own_phase_whose_sounds_they_have_and_of_no_other_work(
    court: Court,
) -> None:
    client = court.client(court.manager)
    other = client.get(f"{court.address}pairs/?phase={PhaseFactory.create().pk}")
    assert other.status_code == 422
    assert "not one of the available choices" in text(other.content)
    assert client.get(f"{court.address}sounds/").status_code == 404
    page = client.get(court.address).content.decode()
    assert f"{court.address}pairs/" in page
    assert f"{court.address}sounds/" not in page
    Project.objects.update(kind="write")
    for part in ("pairs/", "results/"):
        assert client.get(f"{court.address}{part}").status_code == 404
