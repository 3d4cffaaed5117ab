"""Settling: only what is in dispute, once, with provenance; nobody overwrites anyone unseen."""

import json

import pytest
import spacy
from spacy.tokens import DocBin

from annotation.models import Answer, Gold, Item, PastGold
from annotation.selectors.adjudication.cases import adjudication_board, cases_of
from annotation.selectors.formats import GOLD, ExportSelection, download_of
from annotation.selectors.training.material import TrainingSelection, training_material
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import agreed_second, disputed_first, label

# What the judge chooses for the words in dispute of the first caption.
CHOICES = {3: "WHEN", 4: "WHERE", 5: "WHERE", 6: "WHERE"}


def stamp(item: Item) -> str:
    return cases_of(item.project, [item.pk])[0].stamp


def settle(
    item: Item,
    by: User,
    choices: dict[int, str],
    seen: str = "",
    edges: dict[int, bool] | None = None,
    note: str = "",
) -> Gold:
    decision = Decision(choices, seen or stamp(item), edges or {}, note)
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
        "edge": {"how": "agreed", "by": None, "votes": {str(ann.pk): True, str(bob.pk): True}},
    }
    assert gold.provenance[3] == {
        "how": "chosen",
        "by": crew.judge.pk,
        "from": [bob.pk],
        "votes": {str(ann.pk): "HOW", str(bob.pk): "WHEN"},
        "edge": {"how": "agreed", "by": None, "votes": {str(ann.pk): True, str(bob.pk): True}},
    }
    assert gold.settled_by == crew.judge


def test_a_decision_that_does_not_fit_is_refused_and_no_note_is_cut(crew: Crew) -> None:
    item, once, long = disputed_first(crew), crew.items[1], "x" * 501
    for choices, note, said in (
        ({3: "WHEN"}, "", 'still open: "in", "the", "distance"'),
        ({**CHOICES, 7: "WHAT"}, "", "There is no word 7. The caption has 7 words, counted from 0"),
        ({**CHOICES, 3: "NOISE\n"}, "", r'no label "NOISE\\n"'),
        (CHOICES, long, r"has 501 characters\. Shorten it to 500"),
    ):
        with pytest.raises(Refused, match=said):
            settle(item, crew.judge, choices, note=note)
    # Rejected and skipped work casts no vote, nor does what goes beyond the places.
    for user, answer in ((crew.ann, "accept"), (crew.bob, "reject"), (crew.manager, "accept")):
        label(once, user, (1, 1, "WHAT"), answer=Answer(answer))
        with pytest.raises(Refused, match="not ready"):
            settle(once, crew.judge, {})
    assert not Gold.objects.exists()
    settle(item, crew.judge, CHOICES, note=long[1:])
    with pytest.raises(Refused, match=r"The reason .* has 501"):
        gold_reopen(item=item, by=crew.judge, now=NOW, seen=stamp(item), reason=long)
    assert Gold.objects.get().note == long[1:]


def test_what_changed_or_was_taken_back_meanwhile_is_looked_at_again(crew: Crew) -> None:
    item = disputed_first(crew)
    seen = stamp(item)
    for drawn in ((6, 6, "WHERE"), (3, 3, "SOUND_PROPERTY")):
        label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), drawn)
        with pytest.raises(CaseChanged):
            settle(item, crew.judge, CHOICES, seen)
    seen = stamp(item)
    settle(item, crew.judge, CHOICES)
    gold_reopen(item=item, by=crew.manager, now=NOW, seen=stamp(item))
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


def test_what_was_decided_and_what_all_agree_on_can_be_taken_back(crew: Crew) -> None:
    """What a person took back waits for a person: the next settling leaves it alone."""
    decided, agreed = disputed_first(crew), agreed_second(crew)
    settle(decided, crew.judge, CHOICES)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    for item in (decided, agreed):
        gold_reopen(item=item, by=crew.judge, now=NOW, seen=stamp(item))
        # Sent again it is done already.
        gold_reopen(item=item, by=crew.judge, now=NOW, seen="")
    board = adjudication_board(crew.project)
    assert [case.item for case in board.open] == [decided.pk, agreed.pk]
    assert board.agreed == ()
    assert gold_accept_unanimous(project=crew.project, by=None, now=NOW) == 0
    assert not Gold.objects.exists()
    assert settle(agreed, crew.judge, {}).labels[1] == "WHAT"
    assert [case.item for case in adjudication_board(crew.project).settled] == [agreed.pk]
    # What a person confirmed is not settled over either, when all agree on something else.
    for user in (crew.ann, crew.bob):
        label(agreed, user, (1, 1, "SOUND_TYPE"))
    assert gold_accept_unanimous(project=crew.project, by=None, now=NOW) == 0
    assert Gold.objects.get().labels[1] == "WHAT"


def test_what_all_agree_on_is_corrected_on_any_word_and_stays_so(crew: Crew) -> None:
    item = agreed_second(crew)
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    first = settle(item, crew.judge, {5: "WHERE", 6: "WHERE"}, note="A roof is a place.")
    assert first.labels == ["O", "WHAT", "HOW", "O", "O", "WHERE", "WHERE"]
    assert [row["how"] for row in first.provenance] == ["agreed"] * 5 + ["chosen"] * 2
    assert places(first) == [(1, 1), (2, 2), (5, 6)]
    # The next correction keeps the one before, with who made it, and one can be taken back.
    second = settle(item, crew.manager, {1: "SOUND_TYPE", 5: "O"})
    assert second.labels == ["O", "SOUND_TYPE", "HOW", "O", "O", "O", "WHERE"]
    chosen = [(row["how"], row["by"]) for row in second.provenance]
    assert chosen[1] == ("chosen", crew.manager.pk)
    assert chosen[5] == ("agreed", None)
    assert chosen[6] == ("chosen", crew.judge.pk)
    assert gold_accept_unanimous(project=crew.project, by=None, now=NOW) == 0
    assert [row.note for row in PastGold.objects.filter(item=item)] == ["A roof is a place.", ""]


def test_the_same_again_leaves_no_trace_and_a_new_note_does(crew: Crew) -> None:
    item = disputed_first(crew)
    settle(item, crew.judge, CHOICES, note="One.")
    settle(item, crew.judge, {}, note="One.")
    settle(item, crew.manager, CHOICES)
    assert not PastGold.objects.exists()
    assert settle(item, crew.manager, {}, note="Two.").note == "Two."
    assert PastGold.objects.get().note == "One."


def test_neighbours_are_one_span_where_those_who_label_them_so_drew_one(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann, (4, 4, "WHERE"), (5, 6, "WHERE"))
    label(item, crew.bob, (4, 4, "WHERE"), (5, 6, "WHERE"), (1, 1, "WHO"))
    gold = settle(item, crew.judge, {1: "WHO"})
    assert places(gold) == [(1, 1), (4, 4), (5, 6)]


def places(gold: Gold) -> list[tuple[int, int]]:
    return [(span["token_start"], span["token_end"]) for span in gold.spans]


@pytest.fixture
def edges_differ(crew: Crew) -> Item:
    """The second caption: all call "metal roof" WHERE, ann as one span, bob as two."""
    item = crew.items[1]
    label(item, crew.ann, (1, 1, "WHAT"), (5, 6, "WHERE"))
    label(item, crew.bob, (1, 1, "WHAT"), (5, 5, "WHERE"), (6, 6, "WHERE"))
    return item


def test_people_who_differ_in_edges_alone_are_never_settled_unseen(
    crew: Crew, edges_differ: Item
) -> None:
    assert gold_accept_unanimous(project=crew.project, by=None, now=NOW) == 0
    case = adjudication_board(crew.project).open[0]
    assert (case.disputed, case.disputed_edges) == ((), (6,))
    with pytest.raises(Refused, match='still open: between "metal" and "roof"'):
        settle(edges_differ, crew.judge, {})
    gold = settle(edges_differ, crew.judge, {}, edges={6: True})
    assert places(gold) == [(1, 1), (5, 5), (6, 6)]
    ann, bob = edges_differ.annotations.order_by("pk")
    assert gold.provenance[6]["edge"] == {
        "how": "chosen",
        "by": crew.judge.pk,
        "votes": {str(ann.pk): False, str(bob.pk): True},
    }
    # Words alone say nothing of it: the other way round is another decision.
    assert places(settle(edges_differ, crew.judge, {}, edges={6: False})) == [(1, 1), (5, 6)]


def test_a_changed_edge_is_looked_at_again_and_a_persons_decision_is_not_settled_over(
    crew: Crew, edges_differ: Item
) -> None:
    seen = stamp(edges_differ)
    label(edges_differ, crew.bob, (1, 1, "WHAT"), (5, 6, "WHERE"))
    with pytest.raises(CaseChanged):
        settle(edges_differ, crew.judge, {}, seen, edges={6: True})
    label(edges_differ, crew.bob, (1, 1, "WHAT"), (5, 5, "WHERE"), (6, 6, "WHERE"))
    settle(edges_differ, crew.judge, {}, edges={6: True})
    label(edges_differ, crew.bob, (1, 1, "WHAT"), (5, 6, "WHERE"))
    assert [case.item for case in adjudication_board(crew.project).outdated] == [edges_differ.pk]
    assert gold_accept_unanimous(project=crew.project, by=None, now=NOW) == 0
    assert places(Gold.objects.get()) == [(1, 1), (5, 5), (6, 6)]


def test_what_was_settled_before_edges_were_compared_stands(crew: Crew, edges_differ: Item) -> None:
    """As from the time before: no edge in the provenance; it is neither open nor outdated."""
    gold = settle(edges_differ, crew.judge, {}, edges={6: True})
    for row in gold.provenance:
        del row["edge"]
    gold.save()
    board = adjudication_board(crew.project)
    assert [case.item for case in board.settled] == [edges_differ.pk]
    corrected = settle(edges_differ, crew.judge, {1: "WHO"})
    assert places(corrected) == [(1, 1), (5, 5), (6, 6)]


def test_corrected_spans_are_in_every_file_and_learned_from(crew: Crew) -> None:
    """All say one span "metal roof" is WHERE; corrected to two, and "a"."""
    item = crew.items[1]
    for user in (crew.ann, crew.bob):
        label(item, user, (5, 6, "WHERE"))
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    seen = cases_of(crew.project, [item.pk])[0].stamp
    decision = Decision({4: "WHERE"}, seen, edges={6: True})
    gold_decide(item=item, decision=decision, by=crew.judge, now=NOW)

    def exported(file_format: str) -> bytes:
        return b"".join(download_of(crew.project, file_format, ExportSelection(GOLD)).pieces)

    (learned,) = training_material(crew.project, TrainingSelection())[0].records
    for row in (json.loads(exported("prodigy")), learned):
        assert [(span["token_start"], span["token_end"]) for span in row["spans"]] == [
            (4, 5),
            (6, 6),
        ]
    (doc,) = DocBin().from_bytes(exported("docbin")).get_docs(spacy.blank("en").vocab)
    assert [span.text for span in doc.spans["sc"]] == ["a metal", "roof"]
    assert json.loads(exported("hf"))["labels"] == ["O"] * 4 + ["WHERE"] * 3
