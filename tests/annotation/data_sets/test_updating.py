"""A data set is told what its project keeps by now, and follows it when somebody says so."""

from typing import Any

import pytest
from django.test import Client

from annotation.kinds.rate import caption_key
from annotation.models import (
    CaptionAct,
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    Item,
)
from annotation.selectors.data_sets.clips import captioned_clips
from annotation.selectors.data_sets.source_captions import source_changes
from annotation.services.captions import answer_refuse, refusal_take_back
from annotation.services.data_sets.decisions import (
    caption_edit,
    decision_take_back,
    finding_dismiss,
)
from annotation.services.data_sets.filling import source_add, source_update
from annotation.services.data_sets.making import DataSetAct, data_set_create
from annotation.services.projects import ProjectAct
from annotation.text_changes import text_stamp
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.data_sets.findings import checked_by
from tests.annotation.data_sets.test_data_set_pages import answered
from tests.annotation.stages.conftest import Chain, answer, make_chain
from tests.leaderboard.scored_pages import text as text_of

FIRST = "continous rain falls on a roof while birds sing nearby"
SECOND = "heavy rain falls on a metal roof while a bird sings"


class Rated:
    """A data set of what a chain keeps: one caption of one clip, by the ratings of one person."""

    def __init__(self) -> None:
        self.chain: Chain = make_chain()
        chain, (one, other, editor, self.rater, *_) = self.chain, self.chain.people
        chain.rate.kind_options = {"keep": 1}
        chain.rate.save()
        for user, said in ((one, FIRST), (other, SECOND)):
            chain.written(0, user, said)
        chain.feed()
        for item in chain.edit.items.all():
            answer(item, editor, {"text": item.content["caption"], "heard": True})
        chain.feed()
        self.rate(FIRST)
        self.act = DataSetAct(chain.manager, NOW)
        self.data_set = data_set_create(name="Kept", act=self.act, source=chain.rate)
        source_add(data_set=self.data_set, act=self.act)

    def rate(self, best: str) -> None:
        """Have the rater prefer a caption."""
        item: Item = self.chain.rate.items.get()
        keys = [(row["text"], caption_key(row["text"])) for row in item.content["captions"]]
        ratings = {
            key: dict.fromkeys(("accuracy", "fluency"), 4 if said == best else 2)
            for said, key in keys
        }
        answer(item, self.rater, {"ratings": ratings, "heard": True})

    def update(self) -> Any:
        return source_update(data_set=self.data_set, act=self.act)

    def texts(self, data_set: DataSet | None = None) -> list[str]:
        """The captions that the data set has, as they are published."""
        return [said for clip in captioned_clips(self.data_set) for said in clip.captions]

    def caption(self, original: str) -> DataSetCaption:
        return DataSetCaption.with_taken_out.get(clip__data_set=self.data_set, original=original)

    @property
    def path(self) -> str:
        return f"/annotate/data-sets/{self.data_set.slug}/"

    def client(self) -> Client:
        return self.chain.client(self.chain.manager)


@pytest.fixture
def rated(db: None) -> Rated:
    return Rated()


def test_the_page_says_what_is_kept_no_longer_and_what_is_missing_and_mends_it(
    rated: Rated,
) -> None:
    client = rated.client()
    assert "has changed" not in text_of(client.get(rated.path).content)
    rated.rate(SECOND)
    # Nothing changes by itself.
    source_add(data_set=rated.data_set, act=rated.act)
    assert FIRST in rated.texts()
    shown = text_of(client.get(rated.path).content)
    assert "1 caption here is no longer kept by the project." in shown
    done = client.post(f"{rated.path}fill/", {"from": "update"}, follow=True)
    assert "1 caption taken out, 0 put back." in done.content.decode()
    assert rated.texts() == [SECOND]
    told = text_of(done.content)
    assert "is no longer among" not in told
    assert "1 caption that Clips: rate no longer keeps" in told
    assert FIRST in told


def test_decisions_stay_with_a_caption_that_goes_and_comes_back(rated: Rated) -> None:
    first = rated.caption(FIRST)
    caption_edit(caption=first, text=f"{FIRST} loudly", seen=text_stamp(FIRST), act=rated.act)
    rated.rate(SECOND)
    rated.update()
    again = source_changes(rated.data_set)
    assert not again
    assert rated.update()[1] == 0, "twice does no more"
    rated.rate(FIRST)
    assert source_changes(rated.data_set).back == (first.pk,)
    report, out, back = rated.update()
    assert (out, back, report.captions) == (1, 1, 0)
    assert rated.texts() == [f"{FIRST} loudly"]
    acts = CaptionDecision.objects.filter(caption=first).order_by("pk")
    assert [(row.act, row.by) for row in acts] == [
        (CaptionAct.EDITED, rated.chain.manager),
        (CaptionAct.TAKEN_OUT, rated.chain.manager),
        (CaptionAct.PUT_BACK, rated.chain.manager),
    ]
    page = text_of(rated.client().get(f"{rated.path}captions/{first.pk}/").content)
    assert "took the caption out: its project did not keep it any more" in page
    with pytest.raises(Refused, match="cannot be"):
        decision_take_back(decision=acts[1], act=rated.act)


def test_a_caption_that_is_out_is_found_checked_and_decided_nowhere(rated: Rated) -> None:
    checked_by(rated.data_set, rated.act)
    first = rated.caption(FIRST)
    finding = CaptionFinding.objects.get(caption=first, kind="spelling")
    rated.rate(SECOND)
    rated.update()
    assert not CaptionFinding.objects.exists()
    client = rated.client()
    assert "Continous" not in text_of(client.get(f"{rated.path}findings/").content)
    alone = text_of(client.get(f"{rated.path}findings/{finding.pk}/").content)
    assert "The caption was taken out of the data set" in alone
    assert "Dismiss" not in alone
    page = text_of(client.get(f"{rated.path}captions/{first.pk}/").content)
    assert "was taken out of the data set" in page
    assert "Edit the caption" not in page
    seen = text_stamp(FIRST)
    with pytest.raises(Refused, match="taken out of the data set"):
        caption_edit(caption=first, text="x y", seen=seen, act=rated.act)
    with pytest.raises(Refused, match="taken out of the data set"):
        finding_dismiss(finding=finding, seen=seen, act=rated.act)
    rated.rate(FIRST)
    rated.update()
    assert CaptionFinding.objects.get(kind="spelling").pk == finding.pk


def test_an_accepted_answer_that_is_refused_is_told_and_comes_back_with_it(desk: Desk) -> None:
    kept = answered(desk, desk.annotator, FIRST)
    source_add(data_set=desk.data_set, act=desk.act)
    assert not source_changes(desk.data_set), "captions of a file are nobody's to take out"
    act = ProjectAct(desk.manager, NOW)
    answer_refuse(annotation=kept, note="not what is heard", seen=1, act=act)
    (gone,) = source_changes(desk.data_set).gone
    assert DataSetCaption.objects.get(pk=gone).original == FIRST
    assert source_update(data_set=desk.data_set, act=desk.act)[1:] == (1, 0)
    refusal_take_back(annotation=kept, act=act)
    assert source_update(data_set=desk.data_set, act=desk.act)[1:] == (0, 1)
    assert not source_changes(desk.data_set)
