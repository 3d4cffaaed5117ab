"""Two at work on one data set at the same moment, on the real database."""

import pytest
from django.db import transaction

from annotation.models import CaptionDecision, CaptionFinding, DataSetCaption, DataSetCheck, Verdict
from annotation.selectors.data_sets.source_captions import IncomingCaption, IncomingClip
from annotation.services.data_sets.decisions import (
    caption_edit,
    finding_accept,
    finding_dismiss,
    findings_dismiss_all,
)
from annotation.services.data_sets.filling import captions_add
from annotation.services.data_sets.findings import check_run, check_start
from leaderboard.web.refusals import Refused
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.data_sets.findings import checked, finding, stamp
from tests.waiting import elsewhere, waits

pytestmark = pytest.mark.django_db(transaction=True)

NEW = "Steady rain falls on a roof"


def test_of_two_who_decide_at_once_the_second_is_told_what_the_first_did(desk: Desk) -> None:
    checked(desk)
    one = finding(desk, "Continous")
    seen = stamp(one.caption)
    with transaction.atomic():
        finding_accept(finding=one, choice=0, seen=seen, act=desk.act)
        other = elsewhere(lambda: finding_dismiss(finding=one, seen=seen, act=desk.act))
        assert waits(other)
    with pytest.raises(Refused, match="applied a suggestion"):
        other.result()
    one.refresh_from_db()
    assert one.verdict == Verdict.ACCEPTED
    assert CaptionDecision.objects.count() == 1


def test_of_two_who_edit_at_once_the_second_loses_nothing_unseen(desk: Desk) -> None:
    checked(desk)
    caption = desk.caption("rain.wav")
    seen = stamp(caption)
    with transaction.atomic():
        caption_edit(caption=caption, text=NEW, seen=seen, act=desk.act)
        other = elsewhere(
            lambda: caption_edit(caption=caption, text="My words", seen=seen, act=desk.act)
        )
        assert waits(other)
    with pytest.raises(Refused, match=r"is now .Steady rain"):
        other.result()
    assert desk.caption("rain.wav").text == NEW


def test_all_of_a_word_are_dismissed_but_the_one_decided_meanwhile(desk: Desk) -> None:
    checked(desk)
    one = finding(desk, "Continous")
    with transaction.atomic():
        finding_accept(finding=one, choice=0, seen=stamp(one.caption), act=desk.act)
        other = elsewhere(
            lambda: findings_dismiss_all(
                data_set=desk.data_set, kind="spelling", text="Continous", act=desk.act
            )
        )
        assert waits(other)
    assert other.result() == 0
    one.refresh_from_db()
    assert one.verdict == Verdict.ACCEPTED


def test_a_check_leaves_a_caption_alone_that_is_edited_while_it_stores(desk: Desk) -> None:
    first = checked(desk)
    caption = desk.caption("rain.wav")
    check = check_start(data_set=desk.data_set, act=desk.act)
    with transaction.atomic():
        caption_edit(caption=caption, text=NEW, seen=stamp(caption), act=desk.act)
        other = elsewhere(lambda: check_run(pk=check.pk, token=check.token))
        assert waits(other)
    other.result()
    assert DataSetCheck.objects.get(pk=check.pk).state == first.state
    stale = CaptionFinding.objects.filter(caption=caption, verdict=Verdict.OPEN)
    assert not stale.exclude(before=NEW).exists()


def test_what_comes_twice_at_once_is_there_once(desk: Desk) -> None:
    clips = [IncomingClip("sea.wav", (IncomingCaption("waves roll"),))]
    with transaction.atomic():
        captions_add(data_set=desk.data_set, clips=clips, act=desk.act)
        other = elsewhere(lambda: captions_add(data_set=desk.data_set, clips=clips, act=desk.act))
        assert waits(other)
    other.result()
    assert DataSetCaption.objects.filter(clip__file_name="sea.wav").count() == 1


def test_two_who_start_a_check_at_once_start_one(desk: Desk) -> None:
    with transaction.atomic():
        mine = check_start(data_set=desk.data_set, act=desk.act)
        other = elsewhere(lambda: check_start(data_set=desk.data_set, act=desk.act))
        assert waits(other)
    assert other.result() == mine
    assert DataSetCheck.objects.count() == 1
