"""Settling: only what is in dispute, once, with provenance; nobody overwrites anyone unseen."""

from threading import Barrier, Thread

import pytest
from django.db import connection, connections

from annotation.models import Annotation, Answer, Gold, Item
from annotation.selectors.adjudication.cases import adjudication_board, cases_of
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    GoldFault,
    gold_accept_single,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew, make_project
from tests.annotation.labelled import agreed_second, disputed_first, label

# What the judge chooses for the words in dispute of the first caption.
CHOICES = {3: "WHEN", 4: "WHERE", 5: "WHERE", 6: "WHERE"}


def stamp(item: Item) -> str:
    return cases_of(item.project, [item.pk])[0].stamp


def settle(item: Item, by: User, choices: dict[int, str], seen: str = "") -> Gold:
    decision = Decision(choices, seen or stamp(item))
    return gold_decide(item=item, decision=decision, by=by, now=NOW)


def test_only_the_words_in_dispute_are_asked_for_and_every_word_says_where_it_came_from(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    assert cases_of(crew.project, [item.pk])[0].disputed == (3, 4, 5, 6)
    gold = settle(item, crew.judge, CHOICES)
    ann, bob = item.annotations.order_by("pk")
    assert gold.labels == ["O", "WHO", "HOW", "WHEN", "WHERE", "WHERE", "WHERE"]
    assert [(span["token_start"], span["token_end"], span["label"]) for span in gold.spans] == [
        (1, 1, "WHO"),
        (2, 2, "HOW"),
        (3, 3, "WHEN"),
        (4, 6, "WHERE"),
    ]
    assert gold.provenance[1] == {
        "how": "agreed",
        "by": None,
        "from": [ann.pk, bob.pk],
        "votes": {str(ann.pk): "WHO", str(bob.pk): "WHO"},
    }
    assert gold.provenance[3] == {
        "how": "chosen",
        "by": crew.judge.pk,
        "from": [bob.pk],
        "votes": {str(ann.pk): "HOW", str(bob.pk): "WHEN"},
    }
    assert gold.settled_by == crew.judge


def test_a_label_that_nobody_gave_comes_from_nobody(crew: Crew) -> None:
    gold = settle(disputed_first(crew), crew.judge, {**CHOICES, 3: "SOUND_PROPERTY", 6: "O"})
    assert gold.labels[3] == "SOUND_PROPERTY"
    assert gold.provenance[3]["from"] == []
    assert [span["token_end"] for span in gold.spans if span["label"] == "WHERE"] == [5]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({3: "WHEN"}, "still open: 'in', 'the', 'distance'"),
        ({**CHOICES, 1: "WHAT"}, "Word 1 is not in dispute"),
        ({**CHOICES, 3: "NOISE"}, "no label 'NOISE'"),
    ],
)
def test_a_decision_that_does_not_fit_is_refused(
    crew: Crew, choices: dict[int, str], said: str
) -> None:
    item = disputed_first(crew)
    with pytest.raises(GoldFault, match=said):
        settle(item, crew.judge, choices)
    assert not Gold.objects.exists()


def test_nothing_is_settled_before_several_people_are_through(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann, (1, 1, "WHO"))
    with pytest.raises(GoldFault, match="not ready"):
        settle(item, crew.judge, {})
    # Rejected and skipped work casts no vote.
    label(item, crew.bob, (1, 1, "WHAT"), answer=Answer.REJECT)
    with pytest.raises(GoldFault, match="not ready"):
        settle(item, crew.judge, {})


def test_work_beyond_the_places_casts_no_vote(crew: Crew) -> None:
    item = disputed_first(crew)
    label(item, crew.manager, (0, 0, "WHAT"))
    assert len(cases_of(crew.project, [item.pk])[0].votes) == 2


def test_the_same_decision_sent_again_changes_nothing(crew: Crew) -> None:
    item = disputed_first(crew)
    seen = stamp(item)
    first = settle(item, crew.judge, CHOICES, seen)
    again = settle(item, crew.judge, CHOICES, seen)
    assert (again.pk, again.settled_at) == (first.pk, first.settled_at)
    assert Gold.objects.count() == 1


def test_the_second_of_two_adjudicators_overwrites_nothing_that_they_did_not_see(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    seen = stamp(item)
    settle(item, crew.judge, CHOICES, seen)
    # The same decision is no conflict, and stays the first one's.
    assert settle(item, crew.manager, CHOICES, seen).settled_by == crew.judge
    with pytest.raises(CaseChanged) as refused:
        settle(item, crew.manager, {**CHOICES, 3: "HOW"}, seen)
    assert refused.value.case.gold is not None
    assert Gold.objects.get().labels[3] == "WHEN"
    # Having seen it, they may.
    settle(item, crew.manager, {**CHOICES, 3: "HOW"}, refused.value.case.stamp)
    assert (Gold.objects.get().labels[3], Gold.objects.get().settled_by) == ("HOW", crew.manager)


def test_an_annotation_that_changes_meanwhile_is_looked_at_again(crew: Crew) -> None:
    item = disputed_first(crew)
    seen = stamp(item)
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "WHEN"), (6, 6, "WHERE"))
    with pytest.raises(GoldFault, match="Word 6 is not in dispute"):
        settle(item, crew.judge, CHOICES, seen)
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "SOUND_PROPERTY"))
    with pytest.raises(CaseChanged):
        settle(item, crew.judge, CHOICES, seen)


def test_relabelling_after_gold_makes_it_outdated_until_the_votes_are_as_they_were(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    settle(item, crew.judge, CHOICES)
    assert [case.item for case in adjudication_board(crew.project).settled] == [item.pk]
    label(item, crew.bob, (1, 1, "WHAT"), (2, 2, "HOW"), (3, 3, "WHEN"))
    board = adjudication_board(crew.project)
    assert [case.item for case in board.outdated] == [item.pk]
    assert board.settled == ()
    # What was settled stands until someone decides again.
    assert Gold.objects.get().labels[1] == "WHO"
    gold = settle(item, crew.judge, {**CHOICES, 1: "WHAT"})
    assert gold.labels[1] == "WHAT"
    assert [case.item for case in adjudication_board(crew.project).settled] == [item.pk]
    label(item, crew.bob, (1, 1, "WHO"))
    label(item, crew.bob, (1, 1, "WHAT"), (2, 2, "HOW"), (3, 3, "WHEN"))
    assert adjudication_board(crew.project).outdated == ()


def test_captions_on_which_all_agree_settle_themselves_once(crew: Crew) -> None:
    disputed_first(crew)
    item = agreed_second(crew)
    assert gold_accept_unanimous(project=crew.project, by=crew.judge, now=NOW) == 1
    gold = Gold.objects.get()
    assert gold.item == item
    assert gold.labels == ["O", "WHAT", "HOW", "O", "O", "O", "O"]
    assert {row["how"] for row in gold.provenance} == {"agreed"}
    assert gold_accept_unanimous(project=crew.project, by=crew.judge, now=NOW) == 0
    assert Gold.objects.get().pk == gold.pk


def test_who_agrees_anew_is_settled_anew_but_never_over_a_persons_decision(crew: Crew) -> None:
    agreed, decided = agreed_second(crew), disputed_first(crew)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    settle(decided, crew.judge, CHOICES)
    for user in (crew.ann, crew.bob):
        label(agreed, user, (1, 1, "SOUND_TYPE"))
        label(decided, user, (1, 1, "WHAT"))
    assert gold_accept_unanimous(project=crew.project, by=None, now=NOW) == 1
    assert Gold.objects.get(item=agreed).labels[1] == "SOUND_TYPE"
    assert Gold.objects.get(item=decided).labels[1] == "WHO"
    assert [case.item for case in adjudication_board(crew.project).outdated] == [decided.pk]
    # All agree now, so there is nothing to choose: a person only confirms.
    assert settle(decided, crew.judge, {}).labels[1] == "WHAT"


def test_what_was_decided_can_be_taken_back_and_what_all_agree_on_cannot(crew: Crew) -> None:
    decided, agreed = disputed_first(crew), agreed_second(crew)
    settle(decided, crew.judge, CHOICES)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    for _ in range(2):
        gold_reopen(item=decided, by=crew.judge, now=NOW)
    assert [case.item for case in adjudication_board(crew.project).open] == [decided.pk]
    with pytest.raises(GoldFault, match="nothing to decide"):
        gold_reopen(item=agreed, by=crew.judge, now=NOW)


def test_captions_of_one_person_count_as_settled_only_where_a_manager_says_so(crew: Crew) -> None:
    project = make_project(crew.manager, copies=1)
    item = project.items.first()
    assert item is not None
    kept = label(item, crew.manager, (1, 1, "WHO"))
    assert gold_accept_unanimous(project=project, by=None, now=NOW) == 0
    assert [case.item for case in adjudication_board(project).single] == [item.pk]
    assert gold_accept_single(project=project, by=crew.manager, now=NOW) == 1
    assert Gold.objects.get().provenance[1] == {
        "how": "single",
        "by": None,
        "from": [kept.pk],
        "votes": {str(kept.pk): "WHO"},
    }
    assert gold_accept_single(project=project, by=crew.manager, now=NOW) == 0


def test_neighbours_are_one_span_where_those_who_label_them_so_drew_one(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann, (4, 4, "WHERE"), (5, 6, "WHERE"))
    label(item, crew.bob, (4, 4, "WHERE"), (5, 6, "WHERE"), (1, 1, "WHO"))
    gold = settle(item, crew.judge, {1: "WHO"})
    found = [(span["token_start"], span["token_end"]) for span in gold.spans]
    assert found == [(1, 1), (4, 4), (5, 6)]


@pytest.mark.django_db(transaction=True)
def test_two_adjudicators_at_the_same_moment(crew: Crew) -> None:
    """One of two different decisions is kept whole; the other is told, and nothing is mixed."""
    item = disputed_first(crew)
    seen = stamp(item)
    barrier, outcomes = Barrier(2), []

    def decide(by: User, label_of_twice: str) -> None:
        mine = Item.objects.select_related("project__scheme").get(pk=item.pk)
        barrier.wait()
        try:
            settle(mine, by, {**CHOICES, 3: label_of_twice}, seen)
            outcomes.append(label_of_twice)
        except CaseChanged:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [
        Thread(target=decide, args=(by, name))
        for by, name in ((crew.judge, "WHEN"), (crew.manager, "HOW"))
    ]
    if connection.vendor == "sqlite" and connection.is_in_memory_db():  # type: ignore[attr-defined]
        pytest.skip("a database in memory has one connection")
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes)[-1] == "refused"
    assert Gold.objects.get().labels[3] in outcomes
    assert Annotation.objects.filter(item=item).count() == 2
