"""Nobody meets a clip in two stages, by whatever way its items go."""

import pytest
from django.db import connection, transaction

from annotation.models import EarlierHand, Item
from annotation.selectors.captions.effects import answers_wanted, caption_handing
from annotation.selectors.progress import captions_left
from annotation.services.captions import captions_ask_again, captions_hand_over
from annotation.services.projects import ProjectAct
from annotation.services.stages import stage_update
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW
from tests.annotation.stages.conftest import BETTER, ONE, OTHER, Chain, answer, make_chain
from tests.waiting import elsewhere, waits


def clips(items: list[Item]) -> set[str]:
    return {item.text for item in items}


def test_who_wrote_for_a_clip_is_not_handed_its_captions_and_has_none_left(chain: Chain) -> None:
    ann, bob, cho = chain.people[:3]
    chain.written(0, ann, ONE)
    chain.written(1, bob, ONE)
    chain.feed()
    for user, expected in ((ann, {"dog barks.wav"}), (bob, {"rain on a roof.wav"})):
        assert captions_left(chain.edit, user, NOW) == 1
        assert clips(chain.taken(chain.edit, user)) == expected
    assert captions_left(chain.edit, cho, NOW) == 0


@pytest.mark.parametrize("when", ["before", "after", "not noted"])
def test_who_holds_a_clip_in_an_earlier_stage_is_not_handed_it(chain: Chain, when: str) -> None:
    ann, bob = chain.people[:2]
    if when != "after":
        assert len(chain.taken(chain.write, bob)) == 3
    chain.written(0, ann, ONE)
    chain.feed()
    if when == "after":
        assert captions_left(chain.edit, bob, NOW) == 1
        chain.taken(chain.write, bob)
    if when == "not noted":
        EarlierHand.objects.all().delete()
    assert chain.taken(chain.edit, bob) == []
    assert captions_left(chain.edit, bob, NOW) == 0
    assert EarlierHand.objects.filter(user=bob, item__project=chain.edit).count() == 1


def test_who_saw_a_caption_of_a_clip_does_not_write_for_it(chain: Chain) -> None:
    ann, bob = chain.people[:2]
    chain.written(0, ann, ONE)
    chain.feed()
    assert len(chain.taken(chain.edit, bob)) == 1
    assert captions_left(chain.write, bob, NOW) == 2
    assert clips(chain.taken(chain.write, bob)) == {"dog barks.wav", "door.wav"}


def test_who_wrote_or_edited_is_not_handed_the_clip_to_rate(chain: Chain) -> None:
    ann, bob, cho, dan = chain.people[:4]
    for at, (user, text) in enumerate(((ann, ONE), (bob, OTHER))):
        chain.written(0, user, text)
        chain.feed()
        item = chain.edit.items.order_by("position")[at]
        answer(item, cho, {"text": BETTER, "heard": True})
    chain.feed()
    for user in (ann, bob, cho):
        assert captions_left(chain.rate, user, NOW) == 0
        assert chain.taken(chain.rate, user) == []
    assert len(chain.taken(chain.rate, dan)) == 1


def test_managers_cannot_hand_it_over_or_ask_for_it(chain: Chain) -> None:
    ann, bob = chain.people[:2]
    chain.written(0, ann, ONE)
    chain.feed()
    chain.taken(chain.write, bob)
    EarlierHand.objects.filter(user=bob).delete()
    item, act = chain.edit.items.get(), ProjectAct(chain.manager, NOW)
    for user in (ann, bob):
        handing = caption_handing(chain.edit, [item.pk], user, NOW)
        assert handing["met"] == frozenset({item.pk})
        assert not handing["assignments"]
        member = chain.edit.members.get(user=user)
        done = captions_hand_over(
            project=chain.edit, items=[item.pk], to=member, seen=handing["stamp"], act=act
        )
        assert not done["assignments"]
        seen = answers_wanted([item.pk])
        asked = captions_ask_again(
            project=chain.edit, items=[item.pk], to=member, seen=seen, act=act
        )
        assert asked == 0


def test_who_was_handed_an_item_by_a_manager_does_not_meet_the_clip_again(chain: Chain) -> None:
    ann, bob = chain.people[:2]
    chain.written(0, ann, ONE)
    chain.feed()
    item, act = chain.write.items.get(position=0), ProjectAct(chain.manager, NOW)
    stamp = caption_handing(chain.write, [item.pk], bob, NOW)["stamp"]
    member = chain.write.members.get(user=bob)
    captions_hand_over(project=chain.write, items=[item.pk], to=member, seen=stamp, act=act)
    assert captions_left(chain.edit, bob, NOW) == 0
    assert chain.taken(chain.edit, bob) == []


class TestRaces:
    """On the real database, where one waits for the other."""

    pytestmark = pytest.mark.django_db(transaction=True)

    def take(self, chain: Chain, stage: str, user: User) -> list[Item]:
        project = getattr(chain, stage)
        held = tasks_take(project=project, user=user, count=12, now=NOW, lease=LEASE)
        return [assignment.item for assignment in held]

    def test_two_stages_that_hand_out_to_one_person_wait_for_each_other(self) -> None:
        chain = make_chain()
        ann, bob = chain.people[:2]
        chain.written(0, ann, ONE)
        chain.feed()
        with transaction.atomic():
            assert len(self.take(chain, "write", bob)) == 3
            other = elsewhere(lambda: self.take(chain, "edit", bob))
            assert waits(other)
        assert other.result() == []

    @pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
    def test_what_is_fed_while_its_clip_is_handed_out_does_not_go_to_that_person(self) -> None:
        """Neither of the two sees what the other stores."""
        chain = make_chain()
        ann, bob = chain.people[:2]
        chain.written(0, ann, ONE)
        with transaction.atomic():
            self.take(chain, "write", bob)
            elsewhere(lambda: stage_update(project=chain.edit, now=NOW)).result()
        assert not EarlierHand.objects.filter(user=bob, item__project=chain.edit).exists()
        assert self.take(chain, "edit", bob) == []

    def test_an_item_that_is_being_handed_out_is_not_changed(self) -> None:
        chain = make_chain()
        ann, bob = chain.people[:2]
        chain.written(0, ann, ONE)
        chain.feed()
        chain.written(0, ann, BETTER)
        with transaction.atomic():
            assert len(self.take(chain, "edit", bob)) == 1
            feeding = elsewhere(lambda: stage_update(project=chain.edit, now=NOW))
            assert waits(feeding)
        assert getattr(feeding.result(), "outdated", None) == 1
        assert chain.edit.items.get().content["caption"] == ONE

    @pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
    def test_an_item_that_is_being_dropped_is_not_handed_out(self) -> None:
        chain = make_chain()
        ann, bob = chain.people[:2]
        kept = chain.written(0, ann, ONE)
        chain.feed()
        kept.item.annotations.update(assignment=None)
        with transaction.atomic():
            assert stage_update(project=chain.edit, now=NOW).dropped == 1
            assert elsewhere(lambda: self.take(chain, "edit", bob)).result() == []
        assert not chain.edit.items.exists()
