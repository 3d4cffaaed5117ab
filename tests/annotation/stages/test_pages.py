"""The pages of stages: making them, the overview of the chain, results, quality."""

import csv
import json
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.rate import caption_key
from annotation.models import Annotation, Answer, Item, Project, Role
from annotation.selectors.stages.ratings import (
    _ranked,
    project_quality,
    rated_captions,
    rater_agreement,
)
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.captions import answer_refuse, refusal_take_back
from annotation.services.projects import ProjectAct, member_add
from leaderboard.models import User
from tests.annotation.conftest import NOW, browser
from tests.annotation.kinds.conftest import VERSIONS, Workshop, make_workshop, ratings
from tests.annotation.stages.conftest import BETTER, ONE, OTHER, Chain, answer, numbers
from tests.leaderboard.scored_pages import text

FORM = {"name": "Birds", "writers": 5, "least": 8, "most": 20, "editors": 1, "raters": 3, "keep": 5}


def rated(chain: Chain) -> Item:
    """Take one sound through all stages: ONE is rated 4, OTHER 2 and 1, BETTER 3 and 4."""
    ann, bob, cho, dan, eve = chain.people[:5]
    chain.written(0, ann, ONE)
    chain.written(0, bob, OTHER)
    chain.feed()
    for item, told in zip(chain.edit.items.order_by("position"), (ONE, BETTER), strict=True):
        answer(item, cho, {"text": told, "heard": True})
    chain.feed()
    item = chain.rate.items.get()
    for user, given_numbers in ((dan, (4, 2, 3)), (eve, (4, 1, 4))):
        keys = numbers(item, 1, 3)["ratings"]
        ratings = {
            key: {"accuracy": number, "fluency": 3}
            for key, number in zip(keys, given_numbers, strict=True)
        }
        answer(item, user, {"ratings": ratings, "heard": True})
    return item


def test_all_three_stages_are_made_at_once(db: None) -> None:
    client = browser(User.objects.create_user("sam", is_staff=True))
    assert "/annotate/new/collect/" in client.get("/annotate/new/").content.decode()
    for change, says in (({"name": "a\u202eb"}, "invisible"), ({"least": 21}, "smaller one first")):
        refused = client.post("/annotate/new/collect/", FORM | change)
        assert (refused.status_code, says in text(refused.content)) == (422, True)
    assert not Project.objects.exists()
    made = client.post("/annotate/new/collect/", FORM)
    write, edit, rate = Project.objects.order_by("pk")
    assert made["Location"] == f"/annotate/{write.slug}/manage/sounds/"
    assert [row.name for row in (write, edit, rate)] == [
        "Birds: write",
        "Birds: edit",
        "Birds: rate",
    ]
    assert (write.source, edit.source, rate.source) == (None, write, edit)
    assert (write.copies, edit.copies, rate.copies) == (5, 1, 3)
    assert (write.kind_options, rate.kind_options) == ({"least": 8, "most": 20}, {"keep": 5})


def test_a_stage_is_made_of_a_project_that_one_manages_and_gets_what_is_there(chain: Chain) -> None:
    chain.written(0, chain.people[0], ONE)
    chain.manager.is_staff = True
    chain.manager.save()
    client = chain.client(chain.manager)
    other = Project.objects.create(
        slug="other", name="Another", kind="write", scheme=chain.write.scheme
    )
    shown = client.get("/annotate/new/work/edit/").content.decode()
    assert "Clips: write" in shown
    assert "Another" not in shown
    form = {
        "name": "Second edit",
        "source": chain.write.pk,
        "copies": 1,
        "least": 8,
        "most": 20,
        "order": "random",
        "guidelines": "",
    }
    made = client.post("/annotate/new/work/edit/", form)
    project = Project.objects.get(name="Second edit")
    assert made["Location"] == f"/annotate/{project.slug}/manage/"
    assert project.items.get().content["caption"] == ONE
    for wrong in (other.pk, chain.edit.pk, "", "x"):
        assert client.post("/annotate/new/work/edit/", form | {"source": wrong}).status_code == 422


def test_the_overview_shows_the_chain_and_brings_it_up_to_date(chain: Chain) -> None:
    chain.written(0, chain.people[0], ONE)
    client = chain.client(chain.manager)
    for stage in chain.stages:
        page = client.get(f"/annotate/{stage.slug}/manage/").content.decode()
        for other in chain.stages:
            assert other.name in page
            assert (f'href="/annotate/{other.slug}/manage/">{other.name}' in page) == (
                other != stage
            )
            # The same people are let into each stage by itself.
            assert f'href="/annotate/{other.slug}/manage/members/">7<' in page
    done = client.post("/annotate/edit/manage/update/", follow=True)
    assert "1 caption added." in done.content.decode()
    chain.taken(chain.edit, chain.people[2])
    chain.written(0, chain.people[0], BETTER)
    chain.feed()
    told = text(client.get("/annotate/edit/manage/").content)
    assert "1 of the captions here is different from the earlier stages now" in told
    assert "rain on a roof.wav" in told


def test_projects_that_one_does_not_manage_are_named_without_a_link(chain: Chain) -> None:
    other = chain.people[0]
    member_add(project=chain.edit, user=other, role=Role.MANAGER)
    page = chain.client(other).get("/annotate/edit/manage/").content.decode()
    assert "Clips: write" in page
    assert "/annotate/write/manage/" not in page


def test_updates_and_results_are_for_managers_of_projects_that_have_them(chain: Chain) -> None:
    people = (None, chain.people[0], chain.manager)
    update, results = "/annotate/edit/manage/update/", "/annotate/rate/manage/answers/results/"
    assert [chain.client(user).post(update).status_code for user in people] == [302, 404, 302]
    assert [chain.client(user).get(results).status_code for user in people] == [302, 404, 200]
    client = chain.client(chain.manager)
    assert client.post(update.replace("edit", "write")).status_code == 404
    assert client.get(update).status_code == 405
    assert client.get(results.replace("rate", "edit")).status_code == 404


def test_results_and_their_files_have_ranks_means_and_what_is_kept(chain: Chain) -> None:
    item = rated(chain)
    Project.objects.filter(pk=chain.rate.pk).update(kind_options={"keep": 2})
    client, answers = chain.client(chain.manager), "/annotate/rate/manage/answers/"
    told = text(client.get(f"{answers}results/").content)
    assert f"1 {ONE} 4.00 3.00 2 Kept 2 {BETTER} 3.50 3.00 2 Kept 3 {OTHER} 1.50" in told
    assert "Agreement on accuracy" in told
    assert f'href="{answers}results/"' in client.get(answers).content.decode()
    table = client.get(f"{answers}?format=csv").getvalue().decode()
    assert list(csv.reader(StringIO(table))) == [
        ["file_name", "caption_1", "caption_2"],
        ["rain on a roof.wav", ONE, BETTER],
    ]
    lines = client.get(f"{answers}?format=ratings.jsonl").getvalue()
    (clip,) = [json.loads(line) for line in lines.splitlines()]
    assert (clip["file_name"], clip["missing"]) == ("rain on a roof.wav", 0)
    assert [(row["caption"], row["accuracy"], row["kept"]) for row in clip["captions"]] == [
        (ONE, 4.0, True), (BETTER, 3.5, True), (OTHER, 1.5, False),
    ]  # fmt: skip
    # A clip with missing ratings is in no file of kept captions.
    item.assignments.filter(done=True).first().annotation.delete()  # type: ignore[union-attr]
    item.assignments.filter(annotation=None).update(done=False, user=None)
    table = client.get(f"{answers}?format=csv").getvalue().decode()
    assert table.splitlines() == ["file_name"]


def test_a_refused_caption_is_replaced_or_the_clip_is_dropped(chain: Chain) -> None:
    item = rated(chain)
    said = {row["text"]: row["annotations"] for row in item.content["captions"]}
    act = ProjectAct(chain.manager, NOW)
    for pk in said[ONE]:
        row = Annotation.objects.get(pk=pk)
        answer_refuse(annotation=row, note="Speech.", seen=row.version, act=act)
    client = chain.client(chain.manager)
    page, table = (f"/annotate/rate/manage/answers/{part}" for part in ("results/", "?format=csv"))
    Project.objects.filter(pk=chain.rate.pk).update(kind_options={"keep": 1})
    told = text(client.get(page).content)
    assert f"1 {ONE} 4.00 3.00 2 Refused 2 {BETTER} 3.50 3.00 2 Kept 3 {OTHER}" in told
    assert client.get(table).getvalue().decode().splitlines()[1:] == [
        f"rain on a roof.wav,{BETTER}"
    ]
    Project.objects.filter(pk=chain.rate.pk).update(kind_options={"keep": 2})
    assert f"2 {BETTER} 3.50 3.00 2 Clip dropped" in text(client.get(page).content)
    assert client.get(table).getvalue().decode().splitlines()[1:] == []
    for pk in said[ONE]:
        refusal_take_back(annotation=Annotation.with_removed.get(pk=pk), act=act)
    assert f"1 {ONE} 4.00 3.00 2 Kept" in text(client.get(page).content)


def test_quality_is_what_captions_received_with_how_many_ratings(chain: Chain) -> None:
    rated(chain)
    ann, bob, cho, dan, eve = chain.people[:5]
    written, medians = project_quality(chain.write)
    assert (written[ann.pk].accuracy, written[ann.pk].ratings) == (4.0, 2)
    assert (written[bob.pk].accuracy, written[bob.pk].captions) == (1.5, 1)
    assert medians["accuracy"] == 2.75
    edited = project_quality(chain.edit)[0][cho.pk]
    assert (edited.accuracy, edited.fluency, edited.ratings) == (3.75, 3.0, 4)
    raters, _ = project_quality(chain.rate)
    assert (raters[dan.pk].accuracy, raters[eve.pk].accuracy) == (3, 4)
    assert raters[dan.pk].ratings == 3
    agreement = rater_agreement(chain.rate)
    assert agreement["accuracy"].n == 3
    assert agreement["fluency"].value is None, "all gave the same"


@pytest.fixture
def workshop(db: None) -> Workshop:
    return make_workshop("rate")


def rate(workshop: Workshop, user: User, *numbers: tuple[int, int], **change: Any) -> None:
    whole = {"edit": f"edit-{user.pk}", "base": 0, "value": ratings(*numbers), **change}
    annotation_save(item=workshop.items[0], user=user, change=AnswerChange(**whole), now=NOW)


def test_captions_are_ranked_by_mean_accuracy_then_fluency_and_the_best_are_kept(
    workshop: Workshop,
) -> None:
    workshop.project.kind_options = {"keep": 2}
    rate(workshop, workshop.ann, (4, 1), (3, 4), (1, 4))
    rate(workshop, workshop.bob, (2, 2), (3, 3), (2, 4))
    first, second, third = rated_captions(workshop.project)[0].captions
    assert (first.text, first.accuracy, first.fluency) == (VERSIONS[1], 3.0, 3.5)
    assert (second.text, second.accuracy, second.fluency) == (VERSIONS[0], 3.0, 1.5)
    assert (third.text, third.accuracy, third.fluency) == (VERSIONS[2], 1.5, 4.0)
    assert [(row.rank, row.tied, row.kept, row.raters) for row in (first, second, third)] == [
        (1, False, True, 2), (2, False, True, 2), (3, False, False, 2),
    ]  # fmt: skip


def test_only_what_was_accepted_and_counts_is_read(workshop: Workshop) -> None:
    rate(workshop, workshop.ann, (1, 1), (3, 3), (3, 3), answer=Answer.REJECT)
    rate(workshop, workshop.bob, (4, 4), (3, 3), (3, 3))
    rate(workshop, workshop.manager, (1, 1), (1, 1), (1, 1))
    clip = rated_captions(workshop.project)[0]
    assert {row.raters for row in clip.captions} == {1}
    assert clip.captions[0].accuracy == 4.0


NUMBERS = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(st.lists(st.lists(NUMBERS, max_size=3), max_size=6), st.integers(1, 6))
def test_ranks_follow_the_means_and_as_many_are_kept_as_there_are(
    drawn: list[list[tuple[int, int]]], keep: int
) -> None:
    captions = [{"text": f"caption {at}"} for at in range(len(drawn))]
    told = {caption_key(f"caption {at}"): rows for at, rows in enumerate(drawn)}
    found = _ranked(captions, told, keep)
    rated = [row for row in found if row.rank is not None]
    assert found[: len(rated)] == tuple(rated), "what nobody rated comes last"
    assert sum(row.kept for row in found) == min(keep, len(rated))
    for one, other in pairwise(rated):
        better, worse = (one.accuracy, one.fluency), (other.accuracy, other.fluency)
        assert better >= worse
        assert (one.rank == other.rank) == (better == worse)
        assert one.kept or not other.kept
    for row in rated:
        means = [(other.accuracy, other.fluency) for other in rated]
        assert row.tied == (means.count((row.accuracy, row.fluency)) > 1)


def ranked_without(keep: int, refused: set[int], *rated: tuple[tuple[int, int], ...]) -> list[str]:
    """Which captions are kept, by their text; caption n was said by the answers n and n + 10."""
    captions = [{"text": f"{at}", "annotations": [at, at + 10]} for at in range(len(rated))]
    told = {caption_key(f"{at}"): list(rows) for at, rows in enumerate(rated)}
    found = _ranked(captions, told, keep, frozenset(refused))
    return [row.text for row in found if row.kept]


BEST, GOOD, LATER, POOR = ((4, 4), (4, 4)), ((4, 3), (3, 4)), ((3, 3), (3, 3)), ((4, 4), (2, 4))


def test_a_refused_caption_is_replaced_by_the_next_that_everybody_rated_three_or_more() -> None:
    rated = (BEST, POOR, GOOD, LATER)
    # By means: 0, 2 (accuracy 3.5), then 1 (3 and 4) and 3.
    assert ranked_without(2, set(), *rated) == ["0", "2"]
    assert ranked_without(2, {0, 10}, *rated) == ["2", "3"], "caption 1 has a 2 for accuracy"
    assert ranked_without(2, {0}, *rated) == ["0", "2"], "another answer says it still"
    assert ranked_without(2, {1, 11}, *rated) == ["0", "2"], "it was not kept"


def test_a_clip_without_a_good_replacement_is_dropped() -> None:
    assert ranked_without(2, {0, 10, 2, 12}, BEST, POOR, GOOD, LATER) == []
    assert ranked_without(2, {0, 10, 3, 13}, BEST, POOR, GOOD, LATER) == []
    assert ranked_without(5, {0, 10}, BEST, GOOD) == []
