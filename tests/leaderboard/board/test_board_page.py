"""The leaderboard: ranks, sorting, what is missing, and who may see it."""

import re

import pytest
from django.core.exceptions import ValidationError

from earmark.registry import METRICS, metrics_for
from leaderboard.models import Counting, Evaluation, EvaluationState, MetricResult
from leaderboard.selectors.board.columns import USUAL_COLUMNS, grouped
from tests.factories import TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored, text

BY_GROUP = [
    info.name
    for _, infos in grouped(METRICS.values(), lambda info: info.family)
    for info in infos
    if info.name in metrics_for(several=True)
]
USUAL_BY_GROUP = [name for name in BY_GROUP if name in USUAL_COLUMNS]


def url(cast: Cast, query: str = "") -> str:
    address = cast.at("board")
    return address + query


def rows(content: bytes) -> list[str]:
    """The rows of the table, as text."""
    table = content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return [plain(row) for row in table.split("</tr>")[:-1]]


def heads(content: bytes) -> list[str]:
    return re.findall(r"<th [^>]*aria-sort=\"(\w+)\"", content.decode())


def test_ranks_with_ties_and_what_has_no_value_last(cast: Cast) -> None:
    for name, value in (("Low", 0.2), ("Tie a", 0.61), ("Void", None), ("Tie b", 0.61004)):
        scored(cast.phase, TeamFactory.create(), name, value)
    seen = rows(cast.client(None).get(url(cast)).content)
    assert [row[:7].strip() for row in seen[:3]] == ["1 Tie a", "1 Tie b", "3 Low T"]
    assert seen[3].startswith("- No rank: This metric says nothing about these captions. Void")


def test_lower_is_better_where_the_metric_says_so(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setitem(METRICS, "vocab", replace(METRICS["vocab"], direction="lower"))
    cast.rules(ranking_metric="vocab")
    scored(cast.phase, TeamFactory.create(), "Many", 900.0)
    scored(cast.phase, TeamFactory.create(), "Few", 100.0)
    client = cast.client(None)
    assert [row[:3] for row in rows(client.get(url(cast)).content)] == ["1 F", "2 M"]
    by_metric = client.get(url(cast, "?sort=vocab"))
    assert [row[:3] for row in rows(by_metric.content)] == ["1 F", "2 M"]
    assert heads(by_metric.content) == ["ascending"]


SORTED = {
    "rank": ("ABC", "ascending"),
    "-rank": ("BAC", "descending"),
    "cider_d": ("ABC", "descending"),
    "-cider_d": ("BAC", "ascending"),
    "bleu_1": ("BCA", "descending"),
    "system": ("ABC", "ascending"),
    "-system": ("CBA", "descending"),
    "team": ("CBA", "ascending"),
    "date": ("ABC", "ascending"),
    "-date": ("CBA", "descending"),
    "nonsense": ("ABC", "ascending"),
    "-": ("ABC", "ascending"),
    "description": ("ABC", "ascending"),
}


def test_sorts_by_every_column(cast: Cast) -> None:
    """C has no value of the ranking metric and stands last either way."""
    table = (("A", "Zulu", 0.9, 0.1), ("B", "Mike", 0.5, 0.8), ("C", "Alpha", None, 0.4))
    for name, team, ranking, bleu in table:
        submission = scored(cast.phase, TeamFactory.create(name=team), name, ranking)
        MetricResult.objects.filter(submission=submission, metric="bleu_1").update(value=bleu)
    for sort, (order, state) in SORTED.items():
        response = cast.client(None).get(url(cast), {"sort": sort})
        names = re.findall(r'board__system">\s*<a [^>]*title="(.)"', response.content.decode())
        assert ("".join(names), heads(response.content)) == (order, [state]), sort


def test_a_second_click_turns_the_order_round(cast: Cast) -> None:
    scored(cast.phase, cast.team, "A", 0.5)
    client = cast.client(None)
    assert 'href="?sort=cider_d"' in client.get(url(cast)).content.decode()
    assert 'href="?sort=-cider_d"' in client.get(url(cast, "?sort=cider_d")).content.decode()
    everything = client.get(url(cast, "?systems=all&sort=cider_d")).content.decode()
    assert 'href="?systems=all&amp;sort=-cider_d"' in everything


def test_one_row_per_team_or_every_system(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Weak", 0.1)
    scored(cast.phase, cast.team, "Strong", 0.6)
    client = cast.client(None)
    assert len(rows(client.get(url(cast)).content)) == 1
    both = rows(client.get(url(cast, "?systems=all")).content)
    assert [row[:8] for row in both] == ["1 Strong", "2 Weak T"]


@pytest.mark.parametrize(
    ("counting", "label"),
    [(Counting.BEST, "Best"), (Counting.LAST, "Latest"), (Counting.CHOSEN, "Chosen")],
)
def test_the_tab_names_the_rule(cast: Cast, counting: Counting, label: str) -> None:
    cast.rules(counting=counting)
    scored(cast.phase, cast.team, "A", 0.5)
    assert f"{label} per team" in text(cast.client(None).get(url(cast)).content)


def test_a_value_that_failed_says_why_and_is_no_number(cast: Cast) -> None:
    submission = scored(cast.phase, cast.team, "A", 0.5)
    MetricResult.objects.filter(submission=submission, metric="meteor").delete()
    Evaluation.objects.filter(submission=submission, family="meteor").update(
        state=EvaluationState.FAILED, reason='The model is "missing" <here>.'
    )
    response = cast.client(None).get(url(cast, "?columns=meteor"))
    assert 'n/a : The model is "missing" <here>.' in text(response.content)
    assert "&quot;missing&quot; &lt;here&gt;" in response.content.decode()


def columns(content: bytes) -> list[str]:
    """The metrics that the table shows."""
    table = content.decode().partition("<thead>")[2].partition("</thead>")[0]
    return re.findall(r'href="/metrics/(\w+)/"', table)


def test_the_usual_columns_come_first(cast: Cast) -> None:
    scored(cast.phase, cast.team, "A", 0.5)
    content = cast.client(None).get(url(cast)).content
    assert columns(content)[0] == "cider_d"
    assert set(columns(content)[1:]) == set(USUAL_COLUMNS) & set(METRICS)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?columns=meteor&columns=bleu_4", ["cider_d", "bleu_4", "meteor"]),
        ("?columns=all", ["cider_d", *(name for name in BY_GROUP if name != "cider_d")]),
        ("?preset=all", ["cider_d", *(name for name in BY_GROUP if name != "cider_d")]),
        ("?preset=ranking", ["cider_d"]),
        ("?preset=n-gram&columns=vocab", ["cider_d", "vocab"]),
        ("?preset=nonsense", ["cider_d", *USUAL_BY_GROUP]),
        ("?columns=", ["cider_d"]),
        ("?columns=nonsense&columns=cider_d", ["cider_d"]),
        ("?columns=meteor&sort=-bleu_1", ["cider_d", "bleu_1", "meteor"]),
    ],
)
def test_the_visitor_chooses_columns(cast: Cast, query: str, shown: list[str]) -> None:
    scored(cast.phase, cast.team, "A", 0.5)
    content = cast.client(None).get(url(cast, query)).content
    assert columns(content) == shown
    ticked = re.findall(r'name="columns" value="(\w+)" checked', content.decode())
    assert set(ticked) == set(shown) - {"cider_d"}


def test_the_phase_names_its_columns(cast: Cast) -> None:
    cast.phase.columns = ["rouge_l", "vocab"]
    cast.phase.full_clean()
    cast.phase.save()
    scored(cast.phase, cast.team, "A", 0.5)
    assert columns(cast.client(None).get(url(cast)).content) == ["cider_d", "rouge_l", "vocab"]
    cast.phase.columns = ["nonsense"]
    with pytest.raises(ValidationError, match="Give a list of metrics"):
        cast.phase.full_clean()


def test_links_keep_the_columns(cast: Cast) -> None:
    scored(cast.phase, cast.team, "A", 0.5)
    page = cast.client(None).get(url(cast, "?systems=all&columns=meteor&columns=vocab"))
    content = page.content.decode()
    chosen = "columns=meteor&amp;columns=vocab"
    assert f'href="?systems=all&amp;{chosen}&amp;sort=meteor"' in content
    assert f'href="?{chosen}"' in content  # one system per team
    assert 'type="hidden" name="systems" value="all"' in content


def test_a_system_under_way_is_marked_and_unranked(cast: Cast) -> None:
    submit(cast.phase, cast.team, name="Fresh")
    (row,) = rows(cast.client(None).get(url(cast)).content)
    assert row.startswith("- No rank: Waiting to be scored. Fresh")
    assert "Waiting" in row


def test_marks_the_rows_of_the_visitors_teams(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Mine", 0.5)
    for user, marked in ((cast.member, True), (cast.outsider, False), (None, False)):
        content = cast.client(user).get(url(cast)).content
        assert ("Yours" in rows(content)[0]) is marked
        assert (b'class="is-own"' in content) is marked


def test_warns_where_signatures_differ(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Old", 0.5)
    client = cast.client(None)
    scored(cast.phase, TeamFactory.create(), "New", 0.4)
    assert "Not comparable" not in text(client.get(url(cast)).content)
    newer = MetricResult.objects.filter(metric="fense").order_by("pk").last()
    assert newer is not None
    newer.signature = "fense|thr:9|refs:2|v:9.9"
    newer.save()
    response = client.get(url(cast))
    assert "Not comparable from row to row: FENSE." in text(response.content)
    assert "fense|thr:9|refs:2|v:9.9" in response.content.decode()


def test_private_scores_are_for_organisers(cast: Cast) -> None:
    cast.rules(scores_public=False)
    scored(cast.phase, cast.team, "Secretive", 0.5)
    for user in (None, cast.outsider, cast.member):
        seen = text(cast.client(user).get(url(cast)).content)
        assert "The scores of this phase are not public" in seen
        assert "Secretive" not in seen
    assert "Secretive" in text(cast.client(cast.organiser).get(url(cast)).content)
