"""The human row: scored like a system, against the other references, and never ranked."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import References
from earmark.captions.corpus import one_reference_against_others
from earmark.captions.csv_rows import write_candidates_csv
from leaderboard.models import Evaluation, Kind, Phase, Submission, Team
from leaderboard.selectors.clips.corpus import corpus_of, stored_captions
from leaderboard.selectors.organising.challenges import phase_statuses
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.organising.references import phase_set_references
from leaderboard.services.submissions.human_row import TEAM_NAME, TEAM_SLUG, human_row_create
from leaderboard.web.refusals import Refused
from tests.earmark.captions.test_properties import CAPTIONS
from tests.factories import REFERENCES, PhaseFactory, TeamFactory, finish, reference_set
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored, text


def human_row(cast: Cast) -> Submission:
    return human_row_create(phase=cast.phase, actor=cast.organiser, now=timezone.now())


def test_one_reference_of_each_clip_against_the_others(cast: Cast) -> None:
    human = Submission.objects.get(pk=human_row(cast).pk)
    corpus = corpus_of(human)
    for clip, caption, others in zip(
        REFERENCES.clips, corpus.captions, corpus.references, strict=True
    ):
        assert sorted([caption, *others]) == sorted(clip.references)
    assert human.reference_set is not None
    assert human.reference_set.read().documents == REFERENCES
    assert {row.reference_hash for row in human.evaluations.all()} == {
        human.reference_set.content_hash
    }


@pytest.mark.django_db(transaction=True)
def test_it_is_scored_by_the_job_engine_under_a_signature_of_its_own() -> None:
    human = human_row_create(phase=PhaseFactory.create(), actor=None, now=timezone.now())
    evaluation = human.evaluations.get(family="rouge_l")
    evaluation_attempt(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.reason) == ("done", "")
    assert "refs:1" in evaluation.results.get().signature


def test_asking_again_gives_the_same_row(cast: Cast) -> None:
    first = human_row(cast)
    assert human_row(cast) == first
    assert Submission.objects.filter(kind=Kind.HUMAN).count() == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.create(
            phase=cast.phase,
            team=cast.team,
            kind=Kind.HUMAN,
            system_name="Second",
            file=first.file,
            created_at=timezone.now(),
        )


def test_it_stands_below_the_systems_without_a_rank_and_counts_for_nobody(cast: Cast) -> None:
    scored(cast.phase, cast.team, "System", 0.2)
    human = human_row(cast)
    finish(human, value=0.9)
    client, challenge = cast.client(None), cast.phase.challenge.slug
    for query in ("", "?systems=all"):
        page = client.get(cast.at("board") + query)
        bodies = [plain(part) for part in page.content.decode().split("<tbody")[1:]]
        assert "1 System" in bodies[0]
        assert "Human" not in bodies[0]
        assert "Not ranked. Human One reference against the others" in bodies[1]
    rows = client.get(f"/api/v1/phases/{challenge}/{cast.phase.slug}/leaderboard").json()["rows"]
    assert [(row["kind"], row["rank"]) for row in rows] == [("system", 1), ("human", None)]
    seen = text(client.get(reverse("leaderboard:challenge", args=[challenge])).content)
    assert "Best systems Rank System CIDEr-D 95 % interval 1 System" in seen
    assert "Human" not in seen
    status = phase_statuses(Phase.objects.all(), timezone.now())[0]
    assert (status.systems, status.teams) == (1, 1)


def test_new_references_take_the_old_row_away(cast: Cast) -> None:
    human_row(cast)
    others = reference_set(References.build([("a.wav", ["one dog", "a dog"])]))
    phase_set_references(phase=cast.phase, reference_set=others, actor=None, now=timezone.now())
    assert not Submission.objects.filter(kind=Kind.HUMAN).exists()
    assert not Evaluation.objects.exists()
    assert corpus_of(human_row(cast)).file_names == ("a.wav",)


def test_clips_with_one_reference_are_left_out_and_with_none_left_it_says_so(cast: Cast) -> None:
    lone = [("a.wav", ["one dog"]), ("b.wav", ["rain", "it rains"])]
    phase = PhaseFactory.create(reference_set=reference_set(References.build(lone)))
    human = human_row_create(phase=phase, actor=None, now=timezone.now())
    assert corpus_of(human).file_names == ("b.wav",)
    alone = PhaseFactory.create(reference_set=reference_set(References.build(lone[:1])))
    with pytest.raises(Refused, match="two captions"):
        human_row_create(phase=alone, actor=None, now=timezone.now())


def test_a_team_of_that_name_does_not_get_it_and_no_organiser_renames_it(cast: Cast) -> None:
    """One row of all challenges stands under this name; who runs one must not change the others."""
    TeamFactory.create(name=TEAM_NAME)
    row = human_row(cast)
    assert (row.team.slug, row.team.name.startswith(f"{TEAM_NAME} (")) == (TEAM_SLUG, True)
    assert cast.client(cast.owner).get(f"/teams/{TEAM_SLUG}/").status_code == 404
    client = cast.client(cast.organiser)
    page, edit = reverse("leaderboard:team", args=[row.team.slug]), {"act": "edit"}
    for asked in ({}, edit):
        assert client.get(page, asked).status_code == 404
    assert client.post(page, edit | {"name": "Cheap captions"}).status_code == 404
    assert Team.objects.get(slug=TEAM_SLUG).name == row.team.name


@given(st.lists(st.lists(CAPTIONS, min_size=2, max_size=4), min_size=1, max_size=4))
def test_whatever_people_wrote_is_read_back_as_written(clips: list[list[str]]) -> None:
    references = References.build((f"{n}.wav", clip) for n, clip in enumerate(clips))
    captions, others = one_reference_against_others(references)
    data = write_candidates_csv(captions, others).encode()
    assert stored_captions(data, "human.csv", others) == captions
