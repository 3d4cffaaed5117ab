"""Choosing clips by what the metrics found: the right clips, kept by links, never an error."""

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.models import Evaluation, Submission
from leaderboard.selectors.clips.findings import FACETS
from tests.factories import finish, submit
from tests.leaderboard.analysis.test_profile_page import cb
from tests.leaderboard.clips.test_clips_page import (
    HOSTILE,
    NAMES,
    clip_url,
    list_url,
    names,
    set_details,
    set_values,
)
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def sbf(misses: list[str], false_alarms: list[str]) -> dict[str, Any]:
    """What SBF's details say of a clip with one reference."""

    def rows(names: list[str]) -> list[dict[str, Any]]:
        return [{"class": name, "references": 1, "similarity": 0.7} for name in names]

    return {
        "reference_phrases": [["x"]],
        "hits": [],
        "misses": rows(misses),
        "false_alarms": rows(false_alarms),
    }


def aces(ours: list[str], theirs: list[str]) -> dict[str, Any]:
    """What ACES's details say of a clip."""
    return {
        "words": [{"text": "x", "label": label, "confidence": 1.0} for label in ours],
        "references": [[{"text": "y", "label": label} for label in theirs]],
        "labels": [],
    }


def verdict(error: str) -> dict[str, Any]:
    """What the fluency detector says of a caption, "" for no error."""
    return {"flag": bool(error), "likeliest": error or "add_tail", "probabilities": {}}


@pytest.fixture
def submission(cast: Cast) -> Submission:
    """A system whose values rise from clip to clip, so that worst first is as in the file."""
    submission = submit(cast.phase, cast.team)
    finish(submission)
    set_values(submission, "cider_d", [0.1, 0.2, 0.3, 0.4, 0.5])
    events = [
        cb({"Rain": 2}, ["Rain", "Dog"]),
        cb({"Dog": 2}, []),
        cb({"Dog": 1, "Wind": 1}, ["Dog"]),
        cb({"Door": 1, HOSTILE: 1}, ["Door"]),
        cb({}, ["Dog"]),
    ]
    set_details(submission, "cb", events)
    set_details(
        submission, "fluency", [verdict(e) for e in ("", "add_tail", "", "repeat_adv", "add_tail")]
    )
    labels = [aces(["WHO"], ["WHO"]), aces(["O"], ["WHO"]), *[aces(["HOW"], ["O"])] * 3]
    set_details(submission, "aces", labels)
    tags = [sbf(["Bark"], ["Meow"]), sbf(["Bark"], []), *[sbf([], [])] * 3]
    set_details(submission, "sbf", tags)
    return submission


def test_the_list_has_the_clips_asked_for(cast: Cast, submission: Submission) -> None:
    client = cast.client(None)
    for query, clips in {
        "event=Dog": [1, 2],
        "event=Dog&event_mode=found": [2],
        "event=Dog&event_mode=left_out": [1],
        "event=Dog&event_mode=imagined": [0, 4],
        "event=Dog&event_mode=nonsense": [1, 2],
        "event=Squonk": [],
        "event=": [0, 1, 2, 3, 4],
        "error=any": [1, 3, 4],
        "error=none": [0, 2],
        "error=add_tail": [1, 4],
        "error=add_tail&event=Dog&event_mode=imagined": [4],
        "label=WHO": [0, 1],
        "label=WHO&label_mode=left_out": [1],
        "label=HOW&label_mode=imagined": [2, 3, 4],
        "label=O&label_mode=imagined": [],
        "tag=Bark": [0, 1],
        "tag=Meow&tag_mode=imagined": [0],
        "tag=Meow": [],
        "event=Dog&q=train": [2],
        "event=Dog&sort=best": [2, 1],
    }.items():
        content = client.get(list_url(submission, f"?{query}")).content
        assert names(content) == [NAMES[at] for at in clips], query
        assert f"{len(clips)} of 5 clips" in text(content) or len(clips) == 5


def test_what_is_chosen_is_shown_and_can_be_taken_back(cast: Cast, submission: Submission) -> None:
    client, query = cast.client(None), "?event=Dog&event_mode=imagined&error=any&q=bell"
    content = client.get(list_url(submission, query)).content
    page = content.decode()
    assert "Hallucinated: Dog \N{MULTIPLICATION SIGN} , remove" in text(content)
    assert "Fluency: with any error \N{MULTIPLICATION SIGN} , remove" in text(content)
    without = "?sort=worst&amp;metric=cider_d&amp;q=bell&amp;error=any"
    assert f'href="{without}"' in page
    assert '<option value="Dog" selected>Dog (2)</option>' in page
    assert '<option value="imagined" selected>' in page
    hostile = "?" + urlencode({"event": HOSTILE, "tag": '"><i>', "error": "<b>"})
    page = client.get(list_url(submission, hostile)).content.decode()
    assert not [markup for markup in (HOSTILE, "<i>", "<b>") if markup in page]
    content = client.get(list_url(submission, "?event=Squonk&q=dog")).content
    assert "No clip matches all that is chosen and has all these words." in text(content)
    assert '<option value="Squonk" selected>' in content.decode()
    # A form that is sent when its first field changes must not forget that field.
    address = list_url(submission, "?choose=1&event=&event_mode=imagined")
    page = client.get(address).content.decode()
    assert '<option value="imagined" selected>' in page
    assert '<input type="hidden" name="choose" value="1">' in page


def test_previous_and_next_stay_among_the_chosen(cast: Cast, submission: Submission) -> None:
    query = "?sort=best&event=Dog&event_mode=imagined"
    page = cast.client(None).get(clip_url(submission, 5, query)).content.decode()
    assert "1 of 2" in page
    assert 'rel="prev"' not in page
    found = re.search(r'rel="next" href="([^"]+)"', page)
    assert found is not None
    assert found[1].startswith(clip_url(submission, 1))
    assert "event=Dog&amp;event_mode=imagined" in found[1]
    # A clip that the filter leaves out has its neighbours in the file.
    assert "2 of 5" in cast.client(None).get(clip_url(submission, 2, query)).content.decode()


def test_counts_of_the_profile_lead_to_their_clips(cast: Cast, submission: Submission) -> None:
    client = cast.client(None)
    page = client.get(reverse("leaderboard:profile", args=[submission.public_id])).content.decode()
    links = re.findall(rf'href="({re.escape(list_url(submission))}\?[^"]+)">(\d+)', page)
    assert len(links) > 8
    for address, count in links:
        listed = names(client.get(address.replace("&amp;", "&")).content)
        assert len(listed) == int(count), address


def test_a_new_attempt_is_filtered_by_its_own_details(cast: Cast, submission: Submission) -> None:
    client = cast.client(None)
    address = list_url(submission, "?event=Wind")
    assert names(client.get(address).content) == [NAMES[2]]
    set_details(submission, "cb", [cb({"Wind": 1}, [])] * 5)
    Evaluation.objects.filter(submission=submission, family="cb").update(
        token=7, finished_at=timezone.now()
    )
    assert names(client.get(address).content) == NAMES


def test_details_of_another_shape_offer_no_filter(cast: Cast, submission: Submission) -> None:
    client = cast.client(None)
    shapes: tuple[Any, ...] = ({}, [], "text", {"relevance": 3})
    for token, shape in enumerate(shapes, 7):
        set_details(submission, "cb", [shape] * 5)
        Evaluation.objects.update(token=token)
        page = client.get(list_url(submission, "?choose=1")).content.decode()
        assert 'name="event"' not in page
        assert 'name="error"' in page
    for token, shape in enumerate(shapes, 17):
        for family in ("aces", "sbf", "fluency"):
            set_details(submission, family, [shape] * 5)
        Evaluation.objects.update(token=token)
        seen = text(client.get(list_url(submission, "?choose=1")).content)
        assert "There are no details of these clips to filter by." in seen


def test_no_query_breaks_the_pages(cast: Cast, submission: Submission) -> None:
    other = submit(cast.phase, cast.team, name="Other")
    finish(other)
    client = cast.client(None)
    known = ("metric", "sort", "q", "page", "with", "choose", *FACETS)
    keys = st.sampled_from([*known, *(f"{name}_mode" for name in FACETS)])
    values = st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            ["cider_d", "fer", "ahead", "spread", "Dog", "imagined", "\0", "\ud800", "9" * 40]
        ),
        st.just(other.public_id),
    )

    @given(pairs=st.lists(st.tuples(keys, values), max_size=8))
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(pairs: list[tuple[str, str]]) -> None:
        query = "?" + urlencode([(key, value.encode("utf-8", "replace")) for key, value in pairs])
        for address in (list_url(submission, query), clip_url(submission, 2, query)):
            # A system that is not there is the only thing that is not found.
            strange = any(
                key == "with" and value not in {"", other.public_id} for key, value in pairs
            )
            assert client.get(address).status_code in ({200, 404} if strange else {200})

    ask()
