"""Descriptors of references and systems: the numbers, files, and who may see them."""

import csv
import io
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earmark.models.descriptors import find_labeller
from earmark.signature import field_in
from leaderboard import tasks
from leaderboard.models import Evaluation, LabelledReferences, Phase, Submission
from leaderboard.selectors.words.reading import sets_of, stored_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.labellers.reference_words import phases_to_label, reference_words_make
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import REFERENCES, TeamFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import HOSTILE
from tests.leaderboard.clips.test_clips_page import set_details
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text
from tests.leaderboard.words.test_words_counts import words

BAD = "=cmd()"


def clip(ours: list[dict[str, str]], *theirs: list[dict[str, str]]) -> dict[str, Any]:
    """What ACES's details say of a clip."""
    return {
        "words": [{**word, "confidence": 1.0} for word in ours],
        "references": list(theirs),
        "labels": [],
    }


DOG, BARK, RAIN = ("dog", "WHO"), ("barks", "HOW"), ("rain", "WHAT")
TOLD = [words(DOG, BARK), words(RAIN)]


def url(phase: Phase, query: str = "") -> str:
    return reverse("leaderboard:words", args=[phase.challenge.slug, phase.slug]) + query


def system_url(system: Submission, query: str = "") -> str:
    return reverse("leaderboard:words-system", args=[system.public_id]) + query


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Two systems with labels on their words, the better one first, and five clips."""
    first = scored(cast.phase, TeamFactory.create(), f"First {HOSTILE}", 0.6)
    second = scored(cast.phase, TeamFactory.create(), "Second", 0.5)
    set_details(first, "aces", [clip(words(DOG, BARK), *TOLD)] * 4 + [clip(words(RAIN), *TOLD)])
    set_details(second, "aces", [clip(words((BAD, "WHO")), *TOLD)] * 5)
    return [first, second]


def differences(seen: str) -> str:
    """What a page says without the intervals of differences."""
    return re.sub(r" [+-]?\d+\.\d to [+-]?\d+\.\d", "", seen)


def test_counts_shares_and_differences_beside_the_references(
    cast: Cast, systems: list[Submission]
) -> None:
    page = cast.client(None).get(url(cast.phase))
    seen = text(page.content)
    assert "References 10 captions, 15 words" in seen
    assert f"First {HOSTILE} 5 captions, 9 words" in seen
    # Descriptor: references; first; second, each with its difference in points.
    assert "Who 5 50.0 % 4 80.0 % +30.0 5 100 % +50.0" in differences(seen)
    assert "How 5 50.0 % 4 80.0 % +30.0 0 0 % -50.0" in differences(seen)
    assert "What 5 50.0 % 1 20.0 % -30.0 0 0 % -50.0" in differences(seen)
    assert find_labeller().identity in seen
    assert "Who 5 50.0 % 4 80.0 % +30.0 -50.0 to +50.0" in seen
    assert "5 100 % +50.0 +50.0 to +50.0" in seen, "on every clip the same"
    assert "by a paired permutation test over clips with 4,000 draws" in seen


def test_words_and_spans_are_counted_too_and_against_another_system(
    cast: Cast, systems: list[Submission]
) -> None:
    second = systems[1].public_id
    page = cast.client(None).get(url(cast.phase, f"?measure=words&against={second}"))
    assert "Who 5 33.3 % -66.7 4 44.4 % -55.6 5 100 %" in differences(text(page.content))
    page = cast.client(None).get(url(cast.phase, "?measure=spans"))
    assert "Who 5 33.3 % 4 44.4 % +11.1 5 100 % +66.7" in differences(text(page.content))


def test_one_system_beside_its_references_and_another(
    cast: Cast, systems: list[Submission]
) -> None:
    first, second = systems
    seen = text(cast.client(None).get(system_url(first)).content)
    assert "Who 5 50.0 % 4 80.0 % +30.0" in differences(seen)
    assert "Second 5 captions" not in seen
    page = cast.client(None).get(system_url(first, f"?with={second.public_id}"))
    assert "Who 5 50.0 % 4 80.0 % +30.0 5 100 % +50.0" in differences(text(page.content))


def test_texts_open_a_clip_that_has_them(cast: Cast, systems: list[Submission]) -> None:
    first, second = systems
    page = cast.client(None).get(url(cast.phase, "?label=WHAT")).text
    assert f'<a href="/s/{first.public_id}/clips/5/">rain</a> <span class="soft">1</span>' in page
    assert f'<a href="/s/{second.public_id}/clips/1/">{BAD}</a>' in page
    assert '<h2 id="one-title">All words labelled What</h2>' in page
    assert f'aria-label="Clip 5 of First {HOSTILE}' not in page, "a name is text"


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_files_have_the_same_numbers_and_no_formula(cast: Cast, systems: list[Submission]) -> None:
    client = cast.client(None)
    answer = client.get(url(cast.phase, "?csv=counts"))
    assert answer["Content-Disposition"].startswith("attachment")
    rows = {(row["descriptor"], row["set"]): row for row in rows_of(answer.content)}
    found = rows["WHO", "Second"]
    assert (found["captions"], found["all_captions"]) == ("5", "5")
    assert (found["captions_share"], found["captions_difference"]) == ("1.000000", "0.500000")
    assert found["labeller"] == find_labeller().identity
    ends = ("captions_difference_low", "captions_difference_high")
    assert [found[end] for end in ends] == ["0.500000"] * 2
    assert [rows["WHO", f"First {HOSTILE}"][end] for end in ends] == ["-0.500000", "0.500000"]
    assert [rows["WHO", "References"][end] for end in ("captions_difference", *ends)] == [""] * 3
    told = rows_of(client.get(url(cast.phase, "?csv=texts")).content)
    second = [row["text"] for row in told if row["set"] == "Second"]
    assert second == [f"'{BAD}"]


def test_a_labeller_called_like_a_formula_is_none(cast: Cast, systems: list[Submission]) -> None:
    """One that was sent in may be called nearly anything."""
    for row in Evaluation.objects.filter(family="aces"):
        row.signature = row.signature.replace("desc:", "desc:=A1&")
        row.save()
    for file in ("counts", "texts"):
        told = rows_of(cast.client(None).get(url(cast.phase, f"?csv={file}")).content)
        assert {row["labeller"][:5] for row in told} == {"'=A1&"}


def test_the_api_has_the_same_numbers(cast: Cast, systems: list[Submission]) -> None:
    base = f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/words"
    told = cast.client(None).get(base).json()
    assert [one["name"] for one in told["sets"]] == ["References", *map(str, names(systems))]
    who = next(row for row in told["sets"][1]["descriptors"] if row["descriptor"] == "WHO")
    numbers = {"count": 4, "share": 0.8, "difference": 0.3, "low": -0.5, "high": 0.5}
    assert who["captions"] == pytest.approx(numbers)
    own = told["sets"][0]["descriptors"][0]["captions"]
    assert (own["difference"], own["low"], own["high"]) == (None, None, None)
    assert who["texts"] == [{"text": "dog", "spans": 4, "clips": [1, 2, 3]}]
    assert told["sets"][0]["labeller"] == find_labeller().identity
    one = cast.client(None).get(f"/api/v1/submissions/{systems[0].public_id}/words").json()
    assert one["sets"] == told["sets"][:2]
    for query in ("?s=none", "?against=none"):
        assert cast.client(None).get(base + query).status_code == 404


def names(systems: list[Submission]) -> list[str]:
    return [system.system_name for system in systems]


def test_sets_of_two_labellers_are_not_compared(cast: Cast, systems: list[Submission]) -> None:
    """A difference could be the labellers', and not the captions'."""
    row = Evaluation.objects.get(submission=systems[1], family="aces")
    own = find_labeller().identity
    row.signature = row.signature.replace(own, "other@01234567")
    row.save()
    seen = text(cast.client(None).get(url(cast.phase)).content)
    assert "Who 5 50.0 % 4 80.0 % +30.0 5 100 %" in differences(seen)
    assert "+50.0" not in differences(seen)
    assert "+50.0 to +50.0" not in seen
    assert "Not labelled by the same labeller as References" in seen
    assert "Second ( other@01234567 )" in seen
    assert field_in(row.signature, "desc") == "other@01234567"
    assert field_in("cider_d|refs:5", "desc") == ""


def test_what_people_wrote_does_not_stand_for_all_references(
    cast: Cast, systems: list[Submission]
) -> None:
    """The human row is scored against the other references of each clip."""
    human = human_row_create(phase=cast.phase, actor=None, now=timezone.now())
    finish(human)
    set_details(human, "aces", [clip(words(DOG), words(RAIN))] * 5)
    found = sets_of([human, systems[0]]).sets
    assert (found[0].name, found[0].counts.captions) == ("References", 10)
    assert sets_of([human]).sets[0].name == "The other references"


def test_references_are_labelled_by_a_worker_before_any_system_is_scored(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never in a request; once for each labeller; and known where the phase is scored later."""
    submit(cast.phase, cast.team)
    client = cast.client(None)
    assert "still being scored" in text(client.get(url(cast.phase)).content)
    monkeypatch.setattr(tasks.reference_words_make, "delay", tasks.reference_words_make)
    tasks.reference_words_sweep()
    tasks.reference_words_sweep()
    kept = LabelledReferences.objects.get()
    assert kept.identity == find_labeller().identity
    page = client.get(url(cast.phase))
    seen = text(page.content)
    total = sum(len(one.references) for one in REFERENCES.clips)
    assert f"References {total} captions" in seen
    assert "/clips/" not in page.text, "there is no system under which a clip could be opened"
    told = client.get(f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/words").json()
    assert [one["name"] for one in told["sets"]] == ["References"]
    assert "dog" in {
        text["text"] for row in told["sets"][0]["descriptors"] for text in row["texts"]
    }


def test_labels_of_references_are_those_that_a_scored_system_has_with_its_scores(
    cast: Cast,
) -> None:
    reference_words_make(phase_id=cast.phase.pk, now=timezone.now())
    system = submit(cast.phase, cast.team)
    for evaluation in system.evaluations.filter(family="aces"):
        evaluation_attempt(evaluation_id=evaluation.pk)
    (stored,) = sets_of([], stored=stored_of(cast.phase)).sets
    scored_ = sets_of([system], stored=stored_of(cast.phase)).sets[0]
    assert scored_.opens == system
    assert stored.counts == scored_.counts
    assert not reference_words_make(phase_id=cast.phase.pk, now=timezone.now())
    assert phases_to_label() == []


def test_labels_of_references_are_told_when_the_phase_opens_and_not_before(cast: Cast) -> None:
    reference_words_make(phase_id=cast.phase.pk, now=timezone.now())
    later = timezone.now() + timedelta(days=1)
    Phase.objects.filter(pk=cast.phase.pk).update(opens_at=later)
    for user, told in ((None, False), (cast.owner, False), (cast.organiser, True)):
        client = cast.client(user)
        assert ("References" in text(client.get(url(cast.phase)).content)) == told
        api = f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/words"
        assert bool(client.get(api).json().get("sets")) == told


def test_page_and_api_have_the_same_systems_in_one_order_and_at_most_four(cast: Cast) -> None:
    made = [scored(cast.phase, TeamFactory.create(), f"S{n}", 0.1 * n) for n in range(6)]
    for one in made:
        set_details(one, "aces", [clip(words(DOG), *TOLD)] * 5)
    query = "&".join(f"s={one.public_id}" for one in made)
    page = cast.client(None).get(url(cast.phase, f"?{query}"))
    assert text(page.content).count("5 captions, 5 words") == 4
    api = f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/words"
    for ids in ([], [made[1], made[4], made[0]]):
        query = "?" + "&".join(f"s={one.public_id}" for one in ids)
        seen = text(cast.client(None).get(url(cast.phase, query)).content)
        told = cast.client(None).get(api + query).json()["sets"]
        shown = [one["name"] for one in told[1:]]
        assert shown == re.findall(r"\b(S\d) 5 captions", seen)
        assert shown == (["S4", "S1", "S0"] if ids else ["S5", "S4", "S3"])


ASKED = st.sampled_from(["measure", "against", "label", "csv", "page"])
GIVEN = st.sampled_from(["", "words", "references", "WHO", "\0", "counts", HOSTILE, "é"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.tuples(ASKED, GIVEN), max_size=8).map(urlencode))
def test_no_address_breaks_it(cast: Cast, systems: list[Submission], query: str) -> None:
    page = cast.client(None).get(url(cast.phase, f"?{query}"))
    assert page.status_code == 200
