"""The clips of a system: list, order, search, one clip, and what stays hidden."""

import re
from typing import Any

import numpy as np
import pytest
from django.template.loader import get_template
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from earmark.captions import References
from earmark.registry import FAMILIES, METRICS, metrics_for, metrics_of
from earmark.results import NO_INTERVAL
from earmark.results import MetricScore as Score
from leaderboard.models import (
    ClipDetails,
    Evaluation,
    EvaluationState,
    MetricResult,
    Phase,
    Submission,
)
from leaderboard.selectors.clips.corpus import CaptionsUnreadable, corpus_of
from leaderboard.selectors.clips.verdict import compared_words
from leaderboard.services.evaluations.states import details_pack
from tests.factories import REFERENCES, PhaseFactory, finish, reference_set, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, text

HOSTILE = "<script>alert(1)</script>"
NAMES = list(REFERENCES.file_names)


def list_url(submission: Submission, query: str = "") -> str:
    return reverse("leaderboard:clips", args=[submission.public_id]) + query


def clip_url(submission: Submission, number: int, query: str = "") -> str:
    return reverse("leaderboard:clip", args=[submission.public_id, number]) + query


def names(content: bytes) -> list[str]:
    return [
        plain(found)
        for found in re.findall(r'class="clips__name">(.*?)</th>', content.decode(), re.DOTALL)
    ]


def set_values(submission: Submission, metric: str, values: list[float]) -> None:
    MetricResult.objects.filter(submission=submission, metric=metric).update(
        per_clip=MetricResult.pack_per_clip(np.array(values, np.float32))
    )


def configured(submission: Submission, families: list[str]) -> None:
    """Have the phase configure families, and the system scored by them as by BLEU."""
    Phase.objects.update(parameters={family: {"model": "one"} for family in families})
    for family in families:
        copied = submission.evaluations.get(family="bleu")
        result = MetricResult.objects.get(evaluation=copied, metric="bleu_1")
        copied.pk, copied.family = None, family
        copied.save()
        result.pk, result.evaluation, result.metric = None, copied, metrics_of(family)[0].name
        result.save()


def set_details(submission: Submission, family: str, details: list[dict[str, Any]]) -> None:
    """Store details of a family as an attempt does."""
    evaluation = submission.evaluations.get(family=family)
    name = metrics_of(family)[0].name
    ones = np.ones(len(details), np.float32)
    packed, _ = details_pack([Score(name, 1.0, NO_INTERVAL, ones, "s", details)], limit=10**7)
    ClipDetails.objects.filter(evaluation=evaluation).delete()
    for block in packed:
        block.evaluation = evaluation
        block.save()


@pytest.fixture
def submission(cast: Cast) -> Submission:
    submission = submit(cast.phase, cast.team)
    finish(submission)
    set_values(submission, "cider_d", [0.3, 0.1, np.nan, 0.1, 0.9])
    set_values(submission, "fer", [1, 0, 0, 0, 0])
    return submission


@pytest.fixture
def large(cast: Cast) -> Submission:
    """A system with 120 clips, whose values fall from clip to clip."""
    references = References.build([(f"{n:03}.wav", [f"sound {n}"]) for n in range(120)])
    phase = PhaseFactory.create(
        challenge=cast.phase.challenge, reference_set=reference_set(references)
    )
    rows = "".join(f"{n:03}.wav,sound {n}\n" for n in range(120))
    submission = submit(phase, cast.team, data=b"file_name,caption_predicted\n" + rows.encode())
    finish(submission)
    set_values(submission, "cider_d", [(120 - n) / 120 for n in range(120)])
    return submission


def test_order_and_search(cast: Cast, submission: Submission) -> None:
    client = cast.client(None)
    for query, order in (
        ("", [1, 3, 0, 4, 2]),  # the ranking metric, worst first, without a value last
        ("?sort=best", [4, 0, 1, 3, 2]),
        ("?sort=file", [0, 1, 2, 3, 4]),
        ("?sort=nonsense&metric=nonsense", [1, 3, 0, 4, 2]),
        ("?metric=fer", [0, 1, 2, 3, 4]),  # lower is better: the flagged one is the worst
        ("?metric=fer&sort=best", [1, 2, 3, 4, 0]),
        ("?q=bArKs", [1]),
        ("?q=dog+yard", [1]),  # every word, be it in a name, a caption or a reference
        ("?q=wav+bell", [4]),
        ("?q=nowhere", []),
    ):
        found = names(client.get(list_url(submission, query)).content)
        assert found == [NAMES[at] for at in order], query
    for number in (0, 6, 10**30):
        assert client.get(clip_url(submission, number)).status_code == 404


def test_a_clip_without_a_value_says_so(cast: Cast, submission: Submission) -> None:
    seen = text(cast.client(None).get(list_url(submission)).content)
    assert "n/a : this metric says nothing about this clip." in seen
    assert "a train passes by A train passes over a bridge. 1 more" in seen
    assert "Heavy rain drums on metal." not in seen
    seen = text(cast.client(None).get(list_url(submission, "?q=METAL")).content)
    assert "Heavy rain drums on metal. 1 more" in seen


def test_pages_of_fifty_take_few_queries(
    cast: Cast, large: Submission, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = cast.client(None)
    first = names(client.get(list_url(large)).content)
    last = client.get(list_url(large, "?page=3")).content
    assert (len(first), first[0], len(names(last)), names(last)[-1]) == (
        50,
        "119.wav",
        20,
        "000.wav",
    )
    assert "101 to 120 of 120" in text(last)
    assert names(client.get(list_url(large, "?page=99")).content) == names(last)
    assert names(client.get(list_url(large, "?page=x")).content) == first
    with django_assert_max_num_queries(5):
        client.get(list_url(large))
    client.get(clip_url(large, 77, "?sort=best"))  # reads details once per process
    with django_assert_max_num_queries(8):
        client.get(clip_url(large, 77, "?sort=best"))
    kept = client.get(list_url(large, "?sort=file&q=sound&metric=bleu_1")).content.decode()
    assert 'rel="next" href="?sort=file&amp;metric=bleu_1&amp;q=sound&amp;page=2"' in kept


def test_the_neighbours_are_those_of_the_list(cast: Cast, submission: Submission) -> None:
    client = cast.client(None)
    content = client.get(clip_url(submission, 1, "?sort=worst&metric=cider_d")).content.decode()
    assert 'rel="prev" href="' + clip_url(submission, 4) in content
    assert 'rel="next" href="' + clip_url(submission, 5) in content
    assert "3 of 5" in content
    plain_one = client.get(clip_url(submission, 1)).content.decode()
    assert 'rel="prev"' not in plain_one
    assert f'rel="next" href="{clip_url(submission, 2)}"' in plain_one
    # A clip that the search leaves out has its neighbours in the file.
    other = client.get(clip_url(submission, 2, "?q=rain")).content.decode()
    assert "2 of 5" in other


def test_a_clip_shows_captions_values_and_why(cast: Cast, submission: Submission) -> None:
    set_details(
        submission,
        "spice",
        [{"matched": [["dog"]], "missed": [["dog", "large"]], "invented": [["cat", "sit"]]}] * 5,
    )
    seen = text(cast.client(None).get(clip_url(submission, 2)).content)
    assert "dog.wav a dog is barking" in seen
    assert "A dog barks twice in a yard. A large dog is barking outside." in seen
    for name in metrics_for(several=True):
        assert METRICS[name].label in seen
    assert "= Matched dog + Hallucinated cat, sit - Missed dog, large" in seen
    assert "No details were stored when this was computed." in seen  # the other families


def test_a_clip_says_why_first(cast: Cast, submission: Submission) -> None:
    Phase.objects.update(ranking_metric="fense")
    set_values(submission, "fense", [0.5, 0.7, 0.5, 0.5, 0.5])
    fluency = {"flag": False, "likeliest": "other", "probabilities": {"error": 0.1}}
    set_details(submission, "fense", [{"similarities": [0.9, 0.5], "fluency": fluency}] * 5)
    page = cast.client(None).get(clip_url(submission, 2)).content.decode()
    verdict = text(page.encode()).partition("All metrics")[0]
    assert re.search(r"FENSE 0.700 , above this system's 0.\d+ over all clips", verdict)
    assert "reference 1 is nearest and reference 2 furthest. The caption is fluent." in verdict
    assert "0.900 1. A dog barks twice in a yard. 0.500 2. A large dog is barking" in verdict
    assert re.findall(r'class="shared">(\w+)<', page)[:2] == ["dog", "barking"]


def test_words_of_a_caption_are_matched_by_their_stems() -> None:
    references = ["Rain falls on the roof loudly.", "Loud rain is falling on a tin roof.", "Drops"]
    pairs = [{"candidate": "quickly", "reference": "loudly"}]
    pieces, missed = compared_words("Quickly, a fall of snow", references, pairs)
    assert "".join(piece.text for piece in pieces) == "Quickly, a fall of snow"
    counts = {piece.text: piece.references for piece in pieces if piece.text.isalpha()}
    assert counts == {"Quickly": 1, "a": None, "fall": 2, "of": None, "snow": 0}
    assert missed == (("rain", 2), ("roof", 2))


def test_every_family_has_a_fragment_that_survives(cast: Cast, submission: Submission) -> None:
    """Details written by another version must not break the page."""
    odd: list[dict[str, Any]] = [
        {"matched": 1, "words": None, "labels": [{}], "candidate": [None, {"event": None}]},
        {"unknown": [[[]]], "similarities": [None, "x"], "fluency": "?", "reference": None},
        {"matches": [{}], "shared": [{"part": "x"}], "relevance": [{}], "probabilities": {}},
        {"hits": [{}], "precision_matches": [{}], "references": [[{}], None], "spice": "x"},
        {"a": HOSTILE},
    ]
    own = [family for family, info in FAMILIES.items() if info.configured_by_phase]
    configured(submission, own)
    for family in FAMILIES:
        assert get_template(f"leaderboard/clips/details/_{family}.html")
        set_details(submission, family, odd)
    for number in range(1, 6):
        response = cast.client(None).get(clip_url(submission, number))
        assert response.status_code == 200
        assert HOSTILE not in response.content.decode()


def test_families_under_way_or_failed_say_so(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    Evaluation.objects.filter(submission=submission, family="meteor").update(
        state=EvaluationState.FAILED, reason="The table is <b>missing</b>."
    )
    client = cast.client(None)
    seen = text(client.get(clip_url(submission, 1)).content)
    assert "METEOR The table is <b>missing</b>." in seen
    assert "Not scored yet." in seen
    assert names(client.get(list_url(submission)).content) == NAMES


def test_hostile_captions_stay_text(cast: Cast) -> None:
    references = References.build([(f'"{HOSTILE}.wav', [f"a dog {HOSTILE}", "b\u202e c"])])
    phase = PhaseFactory.create(
        challenge=cast.phase.challenge, reference_set=reference_set(references)
    )
    data = f'file_name,caption_predicted\n"""{HOSTILE}.wav","{HOSTILE}"\n'.encode()
    submission = submit(phase, cast.team, name=HOSTILE, data=data)
    finish(submission)
    words = [{"text": HOSTILE, "label": HOSTILE}]
    set_details(submission, "aces", [{"words": words, "references": [words], "labels": []}])
    set_details(submission, "bleu", [{"matched": [[[HOSTILE, 2]]], "correct": [1], "total": [1]}])
    client = cast.client(None)
    for address in (
        list_url(submission, f"?q={HOSTILE}"),
        list_url(submission, '?q="><i>'),
        clip_url(submission, 1, f'?q=a&metric="{HOSTILE}'),
    ):
        content = client.get(address).content.decode()
        assert HOSTILE not in content
        assert "<i>" not in content
    assert HOSTILE in text(client.get(clip_url(submission, 1)).content)


def test_values_of_other_references_are_not_mixed_in(cast: Cast, submission: Submission) -> None:
    Evaluation.objects.filter(submission=submission, family="bleu").update(reference_hash="0" * 64)
    content = cast.client(None).get(list_url(submission)).content.decode()
    assert 'value="bleu_1"' not in content
    assert 'value="rouge_l"' in content
    # A file that cannot be read any more has no clips.
    Submission.objects.filter(pk=submission.pk).update(file_name="captions.json")
    submission.refresh_from_db()
    with pytest.raises(CaptionsUnreadable):
        corpus_of(submission)
    assert cast.client(None).get(list_url(submission)).status_code == 404


def test_a_sound_stands_once_in_the_explanation_of_sbf(cast: Cast, submission: Submission) -> None:
    """Some references name it and some do not: a hit, which counts as an alarm against these."""

    def row(name: str, references: int) -> dict[str, Any]:
        return {"class": name, "references": references, "phrase": "x", "similarity": 0.5}

    details = {
        "phrases": ["an echo"],
        "reference_phrases": [["x"]] * 5,
        "hits": [row("Echo", 3)],
        "false_alarms": [row("Bell", 4), row("Echo", 2)],
        "misses": [row("Rain", 1)],
    }
    set_details(submission, "sbf", [details] * 5)
    address = reverse("leaderboard:clip", args=[submission.public_id, 1])
    seen = text(cast.client(None).get(address).content)
    assert "Hits Echo 3 of 5" in seen
    assert re.search(r"False alarms Bell 4 of 5 \W*Misses Rain 1 of 5", seen)
