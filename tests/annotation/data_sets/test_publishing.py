"""Publishing a part: references, recordings, phase, card, once however often it is pressed."""

from typing import Any

import pytest

from annotation.models import CaptionFinding, DataSet, DataSetCaption, Publication, Sound, Verdict
from annotation.selectors.data_sets.card import card_markdown, data_card, publication_preview
from annotation.selectors.data_sets.clips import captioned_clips, references_of_clips
from annotation.selectors.data_sets.stages import source_projects
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.data_sets.making import data_set_publish
from annotation.services.sounds import sound_rows_remove
from leaderboard.models import AudioFile, AuditEvent, Phase, ReferenceSet, User
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW
from tests.annotation.data_sets.conftest import CAPTIONS, Desk, add_sound
from tests.annotation.data_sets.made import make_data_set, set_parts
from tests.annotation.kinds.conftest import Workshop, make_workshop, ratings
from tests.factories import PhaseFactory


def choice(data_set: DataSet, phase: Phase | None = None, **changes: Any) -> dict[str, Any]:
    part = changes.get("part", "")
    seen = references_of_clips(captioned_clips(data_set, part)).content_hash
    return {"part": part, "phase": phase, "public": False, "seen": seen, **changes}


def publish(desk: Desk, asked: dict[str, Any]) -> Publication:
    return data_set_publish(data_set=desk.data_set, act=desk.act, **asked)


def test_a_phase_gets_references_recordings_and_the_rule_who_reads_them(
    desk: Desk, phase: Phase
) -> None:
    sound = add_sound(desk, "rain.wav")
    made = publish(desk, choice(desk.data_set, phase))
    phase.refresh_from_db()
    assert phase.reference_set == made.reference_set
    assert not phase.references_public
    read = made.reference_set.read()
    assert {clip.file_name: clip.references for clip in read.clips} == CAPTIONS
    (audio,) = AudioFile.objects.all()
    assert (audio.position, audio.sha256) == (read.file_names.index("rain.wav"), sound.sha256)
    assert set(
        AuditEvent.objects.filter(challenge=phase.challenge).values_list("action", flat=True)
    ) == {"phase.references", "phase.change", "references.publish"}
    assert AuditEvent.objects.filter(action="data-set.publish").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_recording_of_a_project_that_is_removed_stays_the_phases(
    desk: Desk, phase: Phase
) -> None:
    sound = add_sound(desk, "rain.wav")
    publish(desk, choice(desk.data_set, phase))
    sound_rows_remove(desk.project)
    assert not Sound.objects.exists()
    assert audio_path(sound.sha256).exists()


def test_pressed_twice_it_is_published_once_and_can_be_opened_later(
    desk: Desk, phase: Phase
) -> None:
    first = publish(desk, choice(desk.data_set, phase))
    events = AuditEvent.objects.count()
    assert publish(desk, choice(desk.data_set, phase)) == first
    assert (Publication.objects.count(), ReferenceSet.objects.count()) == (1, 1)
    assert AuditEvent.objects.count() == events
    publish(desk, choice(desk.data_set, phase, public=True))
    phase.refresh_from_db()
    assert phase.references_public
    alone = publish(desk, choice(desk.data_set))
    assert publish(desk, choice(desk.data_set)) == alone
    assert alone.reference_set != first.reference_set
    assert Publication.objects.count() == 3


def test_a_part_alone_is_published(desk: Desk) -> None:
    data_set = make_data_set(desk.owner, clips=10)
    set_parts(data_set, development=7, evaluation=3)
    asked = choice(data_set, part="evaluation")
    made = data_set_publish(data_set=data_set, act=desk.act, **asked)
    assert made.reference_set.clip_count == 3
    assert made.reference_set.name == f"{data_set.name}, evaluation"
    assert made.card["part"] == "evaluation"


def test_captions_that_no_upload_could_have_and_emptied_parts_are_not_published(desk: Desk) -> None:
    asked = choice(desk.data_set)
    DataSetCaption.objects.filter(pk=desk.caption("rain.wav").pk).update(text="...")
    with pytest.raises(Refused, match="The references have") as refused:
        publish(desk, choice(desk.data_set))
    assert refused.value.faults
    DataSetCaption.objects.all().delete()
    with pytest.raises(Refused, match="Import captions first"):
        publish(desk, asked)
    assert not ReferenceSet.objects.exists()


def test_captions_that_another_phase_shows_are_hidden_once_that_is_confirmed(
    desk: Desk, phase: Phase
) -> None:
    publish(desk, choice(desk.data_set, phase, public=True))
    hidden = PhaseFactory.create(challenge=phase.challenge, reference_set=None)
    with pytest.raises(Refused, match="none of them would stay hidden"):
        publish(desk, choice(desk.data_set, hidden))
    assert not Publication.objects.filter(phase=hidden).exists()
    publish(desk, choice(desk.data_set, hidden, confirmed=True))
    hidden.refresh_from_db()
    assert not hidden.references_public


def test_the_card_of_hidden_references_holds_no_word_of_a_caption(desk: Desk, phase: Phase) -> None:
    DataSet.objects.filter(pk=desk.data_set.pk).update(
        procedure="Such as: a dog barks twice in the distance."
    )
    desk.data_set.refresh_from_db()
    publish(desk, choice(desk.data_set, phase))
    cards = ReferenceSet.objects.get().card
    told = str(cards["hidden"]).casefold()
    assert cards["open"]["procedure"]
    words = {word for texts in CAPTIONS.values() for text in texts for word in text.split()}
    assert [word for word in words if len(word) > 4 and word.casefold() in told] == []
    assert set(cards["hidden"]) == {
        "format", "name", "part", "clips", "captions", "procedure", "stages", "licences", "hidden",
    }  # fmt: skip


@pytest.fixture
def rated(db: None) -> Workshop:
    """A project that rates what another wrote, with the ratings of two for one clip."""
    first, workshop = make_workshop("write"), make_workshop("rate")
    workshop.project.source = first.project
    workshop.project.save()
    rate(workshop, workshop.ann, (4, 1), (3, 4), (1, 4))
    rate(workshop, workshop.bob, (4, 2), (3, 3), (1, 4))
    return workshop


def rate(workshop: Workshop, user: User, *numbers: tuple[int, int]) -> None:
    change = AnswerChange(edit=f"edit-{user.pk}", base=0, value=ratings(*numbers))
    annotation_save(item=workshop.items[0], user=user, change=change, now=NOW)


@pytest.fixture
def data_set(rated: Workshop) -> DataSet:
    return make_data_set(rated.manager, clips=3, captions=2, source=rated.project)


def test_stages_come_in_order_with_people_answers_and_agreement(
    data_set: DataSet, rated: Workshop
) -> None:
    assert source_projects(data_set) == [rated.project.source, rated.project]
    written, judged = data_card(data_set)["stages"]
    assert (written["work"], written["people"], written["agreement"]) == ("Write captions", 0, [])
    assert (judged["work"], judged["people"], judged["answers"]) == ("Rate captions", 2, 2)
    assert (judged["items"], judged["answers_asked"]) == (len(rated.items), 2 * len(rated.items))
    accuracy, fluency = judged["agreement"]
    assert (accuracy["scale"], accuracy["alpha"], accuracy["captions"]) == ("accuracy", 1.0, 3)
    assert 0 < fluency["alpha"] < 1
    markdown = card_markdown(data_card(data_set))
    assert "| accuracy | 1.000 | 3 |" in markdown


def test_the_preview_counts_what_somebody_should_look_at(desk: Desk) -> None:
    desk.caption("dog.wav", 2).delete()
    for name, verdict in (("rain.wav", Verdict.OPEN), ("dog.wav", Verdict.DISMISSED)):
        place = {"start": 0, "end": 1, "text": "x", "before": desk.caption(name).text}
        CaptionFinding.objects.create(
            caption=desk.caption(name), kind="spelling", verdict=verdict, **place
        )
    add_sound(desk, "dog.wav")
    preview = publication_preview(desk.data_set, "")
    assert [preview[name] for name in ("clips", "captions", "sounds")] == [2, 3, 1]
    assert [preview[name] for name in ("asked", "fewer", "without")] == [2, 1, 0]
    assert preview["findings"] == [("Spelling", 1)]
