"""What managers do with captions while others label them, on the real database."""

import pytest
from django.db import transaction

from annotation.models import Annotation, Gold, Item
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.captions.effects import caption_removal
from annotation.services.adjudication import CaseChanged, Decision, gold_decide
from annotation.services.captions import captions_remove
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct, member_remove
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.captions.test_sent_back import send_back
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import disputed_first, label
from tests.waiting import elsewhere, waits

pytestmark = pytest.mark.django_db(transaction=True)


def remove(crew: Crew, seen: str) -> None:
    act = ProjectAct(crew.manager, NOW)
    captions_remove(project=crew.project, items=[crew.items[0].pk], seen=seen, act=act)


def test_a_removal_waits_for_an_answer_on_its_way_and_tells_of_it(crew: Crew) -> None:
    seen = caption_removal([crew.items[0].pk])["stamp"]
    with transaction.atomic():
        label(crew.items[0], crew.ann)
        removal = elsewhere(lambda: remove(crew, seen))
        assert waits(removal)
    with pytest.raises(Refused, match="numbers changed"):
        removal.result()
    assert Item.objects.count() == 4


def test_an_answer_during_a_removal_waits_and_is_kept_with_the_caption(crew: Crew) -> None:
    tasks_take(project=crew.project, user=crew.ann, count=1, now=NOW, lease=LEASE)
    with transaction.atomic():
        remove(crew, caption_removal([crew.items[0].pk])["stamp"])
        answer = elsewhere(lambda: label(crew.items[0], crew.ann))
        assert waits(answer)
    answer.result()
    assert not Annotation.objects.exists()
    assert Annotation.with_removed.get().counts, "it counts once the caption is brought back"


def test_an_answer_changed_while_it_is_sent_back_waits_and_stays_sent_back(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann)
    with transaction.atomic():
        send_back(crew, item)
        change = elsewhere(lambda: label(item, crew.ann, (0, 0, "WHO")))
        assert waits(change)
    change.result()
    kept = Annotation.objects.get()
    assert kept.version == 2
    assert kept.sent_back is not None
    assert not kept.counts


def test_sending_back_waits_for_an_answer_on_its_way(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann)
    with transaction.atomic():
        label(item, crew.ann, (0, 0, "WHO"))
        sending = elsewhere(lambda: send_back(crew, item))
        assert waits(sending)
    sending.result()
    kept = Annotation.objects.get()
    assert (kept.version, kept.counts) == (2, False)


def test_sending_back_during_the_closing_waits_and_is_refused(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann)
    with transaction.atomic():
        act = ProjectAct(crew.manager, NOW)
        project_set_closed(project=crew.project, closed=True, act=act)
        sending = elsewhere(lambda: send_back(crew, item))
        assert waits(sending)
    with pytest.raises(Refused, match="project is closed"):
        sending.result()
    assert Annotation.objects.get().counts


def test_what_is_sent_back_to_who_is_removed_meanwhile_changes_nothing(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann)
    with transaction.atomic():
        member_remove(member=crew.project.members.get(user=crew.ann))
        sending = elsewhere(lambda: send_back(crew, item))
        assert waits(sending)
    with pytest.raises(Refused, match="numbers changed"):
        sending.result()
    assert Annotation.objects.get().counts


def test_of_two_adjudicators_at_once_one_decides_and_the_other_is_told(crew: Crew) -> None:
    item = disputed_first(crew)
    seen = cases_of(crew.project, [item.pk])[0].stamp

    def decide(by: User, name: str) -> None:
        decision = Decision({3: name, 4: "O", 5: "O", 6: "O"}, seen)
        gold_decide(item=Item.objects.get(pk=item.pk), decision=decision, by=by, now=NOW)

    with transaction.atomic():
        decide(crew.judge, "WHEN")
        other = elsewhere(lambda: decide(crew.manager, "HOW"))
        assert waits(other)
    with pytest.raises(CaseChanged):
        other.result()
    assert Gold.objects.get().labels[3] == "WHEN"
