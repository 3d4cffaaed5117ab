"""Results of judging: who may see what, and what the votes say."""

import json
from typing import Any

import pytest

from annotation.selectors.judging.results import compared_pairs, judging_results
from annotation.selectors.judging.votes import JudgedPair, votes_of
from annotation.services.closing import project_set_closed
from annotation.services.projects import ProjectAct
from scoring.benchmark import read_judgments
from tests.annotation.conftest import NOW
from tests.annotation.judging.conftest import Court
from tests.leaderboard.scored_pages import text


def page(court: Court, user: Any, query: str = "") -> Any:
    return court.client(user).get(f"{court.address}results/{query}")


def test_systems_are_in_the_order_of_the_judges_beside_their_ranks(court: Court) -> None:
    court.judge_all()
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
    shown = text(page(court, court.manager).content)
    for said in ("People", "Good <b> (Team <One>)", "16 votes", "Rank by CIDEr-D", "1.000"):
        assert said in shown


def test_kinds_of_pairs_say_how_often_the_own_and_the_persons_caption_won(court: Court) -> None:
    items = court.judge_all()
    found = {row.facet: row for row in judging_results(court.project, None, named=True).facets}
    assert {facet: row.drawn for facet, row in found.items()} == {
        facet: sum(item.content["facet"] == facet for item in items)
        for facet in ("HC", "HI", "HM", "MM")
    }
    assert (found["HI"].first, found["HM"].first, found["HC"].alike) == (1, 1, 1)


def test_judges_who_say_the_same_agree_fully(court: Court) -> None:
    court.judge_all()
    found = judging_results(court.project, court.phase, named=True)
    assert (found.nominal.value, found.ordinal.value) == (1, 1)
    for row in found.judges:
        assert row.agreement.share == 1
        assert row.agreement.answers == 8


def test_who_does_not_organise_the_phase_reads_no_names_and_no_ranks(court: Court) -> None:
    court.judge_all()
    answer = page(court, court.helper)
    shown = text(answer.content)
    assert "System " in shown
    for kept in ("Good", "Poor", "Team <One>", "Rank by", court.good.public_id, "Download"):
        assert kept not in shown
    assert court.good.public_id not in answer.content.decode()
    assert page(court, court.helper, "?format=json").status_code == 404


def test_results_are_for_managers_alone(court: Court) -> None:
    court.judge_all()
    people = (None, court.outsider, court.ann, court.helper, court.manager)
    for query, last in (("", [200, 200]), ("?format=json", [404, 200])):
        codes = [page(court, user, query).status_code for user in people]
        assert codes == [302, 404, 404, *last]
    assert page(court, court.manager, "?format=exe").status_code == 404


def test_a_project_without_pairs_or_votes_says_what_to_do(court: Court) -> None:
    assert "Draw some" in text(page(court, court.manager).content)
    items = court.draw()
    shown = text(page(court, court.manager).content)
    assert "0 votes" in shown
    assert "Systems ranked by judges" not in shown
    court.judge(items[0], court.ann, "a")
    assert page(court, court.manager).status_code == 200


def test_what_does_not_count_is_left_out(court: Court) -> None:
    items = court.draw()
    court.judge(items[0], court.ann, "a")
    project_set_closed(project=court.project, closed=True, act=ProjectAct(court.manager, NOW))
    court.judge(items[1], court.bob, "b")
    assert len(votes_of(court.project).pairs) == 1


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


def test_votes_for_both_alike_do_not_draw_strengths_together(court: Court) -> None:
    """What is alike tells how readily judges say so, and takes nothing from who is preferred."""
    items = [item for item in court.draw(each=4) if item.content["facet"] == "HM"]
    for at, item in enumerate(items):
        people = "a" if "clip" in item.content["sources"][0] else "b"
        court.judge(item, court.ann, people if at else ("b" if people == "a" else "a"))
    decided = judging_results(court.project, court.phase, named=True)
    for item in items:
        court.judge(item, court.bob, "alike")
    found = judging_results(court.project, court.phase, named=True)
    assert found.alike is not None
    assert decided.alike is not None
    assert found.alike > 0.4 > decided.alike
    strengths = [row.systems[0].strength for row in (decided, found)]
    # Half a win for each would leave log(5/3) of log(3), less than half.
    assert strengths[1] > strengths[0] * 0.75
    shown = text(page(court, court.manager).content)
    assert "Two equally strong systems are judged alike in" in shown
