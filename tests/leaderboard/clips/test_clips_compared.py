"""Clips of several systems side by side: who may see whose, and what is compared."""

import re
from typing import Any

import numpy as np
import pytest

from earmark.captions import References
from leaderboard.models import MetricResult, Phase, Submission
from leaderboard.selectors.clips.corpus import corpus_of
from tests.factories import (
    REFERENCES,
    PhaseFactory,
    TeamFactory,
    finish,
    join,
    reference_set,
    submit,
)
from tests.leaderboard.analysis.test_profile_page import cb
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.clips.test_clip_filters import aces
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


def other_captions(word: str) -> bytes:
    rows = "".join(f'"{name}",{word} {place}\n' for place, name in enumerate(NAMES))
    return f"file_name,caption_predicted\n{rows}".encode()


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Three systems with known values; the first one is the cast's."""
    values = [[0.9, 0.5, 0.1, 0.4, np.nan], [0.1, 0.5, 0.6, 0.2, 0.3], [0.5, 0.5, 0.5, 0.9, 0.2]]
    found = []
    for place, row in enumerate(values):
        team = cast.team if place == 0 else TeamFactory.create()
        system = submit(cast.phase, team, name=f"System {place}", data=other_captions("abc"[place]))
        finish(system, seed=place)
        set_values(system, "cider_d", row)
        found.append(system)
    return found


def beside(*systems: Submission) -> str:
    return "&".join(f"with={system.public_id}" for system in systems)


def test_differences_put_clips_in_order(cast: Cast, systems: list[Submission]) -> None:
    set_values(systems[0], "fer", [1, 0, 1, 0, 0])
    set_values(systems[1], "fer", [0, 1, 1, 0, 0])
    for query, order in (
        # 0.8, 0, -0.5, 0.2, none against the second system
        ("sort=ahead", [0, 3, 1, 2, 4]),
        ("sort=behind", [2, 1, 3, 0, 4]),
        # Against both: 0.8, 0, 0.5, 0.7, 0.1
        ("sort=spread", [0, 3, 2, 4, 1]),
        ("sort=worst", [2, 3, 1, 0, 4]),
        ("metric=fer&sort=ahead", [1, 2, 3, 4, 0]),  # lower is better
    ):
        address = list_url(systems[0], f"?{query}&{beside(*systems[1:])}")
        content = cast.client(None).get(address).content
        assert names_beside(content) == [NAMES[at] for at in order], query
    content = cast.client(None).get(list_url(systems[0], "?sort=ahead")).content
    assert names(content) == [NAMES[at] for at in (2, 3, 1, 0, 4)], "none stands beside it"


def names_beside(content: bytes) -> list[str]:
    rows = re.findall(r'class="clips__name"><a [^>]*>(.*?)</a>', content.decode(), re.DOTALL)
    return [row.replace("&#x27;", "'") for row in rows]


def test_every_caption_stands_with_its_value(cast: Cast, systems: list[Submission]) -> None:
    client = cast.client(None)
    address = list_url(systems[0], f"?sort=ahead&{beside(*systems[1:])}")
    seen = text(client.get(address).content)
    first = seen[seen.index("rain.wav") :][:400]
    for said in ("ahead by 0.800", "Rain falls on a tin roof.", "Heavy rain drums on metal."):
        assert said in first
    for system in ("System 0 a 0 0.900", "System 1 b 0 0.100", "System 2 c 0 0.500"):
        assert system in first
    # Words of another shape leave the caption.
    shapes: tuple[Any, ...] = (None, "x", [3], {}, [{"label": []}], [{"text": {}}])
    for words in shapes:
        set_details(systems[1], "aces", [{"words": words}] * 5)
        content = client.get(clip_url(systems[0], 2, f"?{beside(systems[1])}")).content
        assert "System 1" in text(content)


def test_values_computed_otherwise_are_not_compared(cast: Cast, systems: list[Submission]) -> None:
    rows = MetricResult.objects.filter(submission=systems[1], metric="cider_d")
    rows.update(signature="another")
    client = cast.client(None)
    for order, found in (("ahead", [0, 1, 2, 3, 4]), ("spread", [3, 0, 2, 1, 4])):
        content = client.get(list_url(systems[0], f"?sort={order}&{beside(*systems[1:])}")).content
        assert names_beside(content) == [NAMES[at] for at in found]
        seen = text(content)
        assert (
            "System 1: CIDEr-D was computed differently for these systems than for System 0" in seen
        )
        assert "System 1 b 0 n/a : Computed in another way, so it is not compared." in seen
    seen = text(client.get(clip_url(systems[0], 1, f"?{beside(*systems[1:])}")).content)
    assert "Computed in another way, so it is not compared." in seen


def test_five_at_most_each_once_and_no_system_itself(cast: Cast, systems: list[Submission]) -> None:
    more = [submit(cast.phase, TeamFactory.create(), name=f"More {n}") for n in range(4)]
    asked = (systems[0], systems[1], systems[1], systems[2], *more)
    found = cast.client(None).get(list_url(systems[0], f"?{beside(*asked)}&with="))
    chosen = [system.system_name for system, _ in found.context["chooser"]["beside"]]
    assert chosen == ["System 1", "System 2", "More 0", "More 1", "More 2"]
    assert found.context["chooser"]["addable"].options == ()


def test_what_is_not_of_this_phase_is_not_found(cast: Cast, systems: list[Submission]) -> None:
    stranger = submit(PhaseFactory.create(challenge=cast.phase.challenge), cast.team)
    finish(stranger)
    for strange in ("nothing", "%00", "%ED%A0%80", "a" * 5000, stranger.public_id):
        for address in (list_url(systems[0]), clip_url(systems[0], 1)):
            for who in (None, cast.member, cast.organiser):
                assert cast.client(who).get(f"{address}?with={strange}").status_code == 404
    problem(caller(None).get(clips_path(systems[0], beside(stranger))), 404)


def test_systems_of_other_clips_do_not_stand_beside(cast: Cast, systems: list[Submission]) -> None:
    """Clip 3 of the one would be another recording than clip 3 of the other."""
    turned = References.build([(row.file_name, row.references) for row in REFERENCES.clips[::-1]])
    Submission.objects.filter(pk=systems[1].pk).update(other_references=reference_set(turned))
    systems[1].refresh_from_db()
    assert corpus_of(systems[1]).file_names == tuple(NAMES[::-1]), "it can be read by itself"
    client = cast.client(None)
    page = client.get(list_url(systems[0]))
    addable = [one.system_name for one in page.context["chooser"]["addable"].options]
    assert addable == ["System 2"]
    for address in (list_url(systems[0]), clip_url(systems[0], 3)):
        assert client.get(f"{address}?{beside(systems[1])}").status_code == 404
    path = f"/submissions/{systems[0].public_id}/clips?metric=cider_d&{beside(systems[1])}"
    problem(caller(None).get(path), 404)


def test_secret_scores_keep_captions_of_others(cast: Cast, systems: list[Submission]) -> None:
    """References may be public while systems are not: a team sees its own systems alone."""
    own = submit(cast.phase, cast.team, name="Own second", data=other_captions("z"))
    Phase.objects.update(scores_public=False)
    client = cast.client(cast.member)
    page = client.get(list_url(systems[0]))
    assert [one.system_name for one in page.context["chooser"]["addable"].options] == ["Own second"]
    assert "System 1" not in page.content.decode()
    api = f"/submissions/{systems[0].public_id}/clips?metric=cider_d"
    for address in (list_url(systems[0]), clip_url(systems[0], 1)):
        assert client.get(f"{address}?{beside(own)}").status_code == 200
        assert client.get(f"{address}?{beside(systems[1])}").status_code == 404
    problem(caller(cast.member).get(f"{api}&{beside(systems[1])}"), 404)
    assert (
        cast.client(cast.organiser).get(list_url(systems[0], f"?{beside(systems[1])}")).status_code
        == 200
    )
    join(systems[1].team, cast.member)
    assert client.get(list_url(systems[0], f"?{beside(systems[1])}")).status_code == 200


def test_one_clip_of_several_systems(cast: Cast, systems: list[Submission]) -> None:
    one, other, third = systems
    words = [{"text": HOSTILE, "label": "WHO", "confidence": 1.0}]
    set_details(other, "aces", [aces([], []), {**aces([], []), "words": words}] * 2)
    query = f"?sort=ahead&metric=cider_d&{beside(other, third)}"
    content = cast.client(None).get(clip_url(one, 2, query)).content
    assert HOSTILE not in content.decode()
    seen = text(content)
    assert f"System 1 {HOSTILE} who 0.500" in seen
    assert "System 2 c 1 0.500" in seen
    # Its own page keeps the others, this one first.
    away = clip_url(other, 2, f"?with={one.public_id}&amp;with={third.public_id}")
    assert f'href="{away}"' in content.decode()
    assert f'rel="next" href="{clip_url(one, 3)}?sort=ahead&amp;metric=cider_d' in content.decode()
    # Taking one away keeps the place in the list.
    rest = f"?sort=ahead&amp;metric=cider_d&amp;with={third.public_id}"
    assert f'href="{rest}">Compare with: System 1' in content.decode()


# -- the API ----------------------------------------------------------------


def clips_path(system: Submission, query: str) -> str:
    return f"/submissions/{system.public_id}/clips?metric=cider_d&{query}"


def test_the_api_gives_all_sides(cast: Cast, systems: list[Submission]) -> None:
    MetricResult.objects.filter(submission=systems[2], metric="cider_d").update(signature="new")
    found = body(
        caller(None).get(clips_path(systems[0], f"sort=ahead&limit=2&{beside(*systems[1:])}"))
    )
    assert [(row["name"], row["compared"]) for row in found["beside"]] == [
        ("System 1", True),
        ("System 2", False),
    ]
    first = found["clips"][0]
    assert (first["number"], first["value"]) == (1, pytest.approx(0.9))
    assert first["difference"] == pytest.approx(0.8)
    assert [row["caption"] for row in first["beside"]] == ["b 0", "c 0"]
    assert [row["value"] for row in first["beside"]] == [pytest.approx(0.1), None]
    plain = body(caller(None).get(clips_path(systems[0], "limit=1")))
    assert (plain["beside"], plain["clips"][0]["difference"]) == ([], None)


def test_the_api_filters_and_takes_no_other_words(cast: Cast, systems: list[Submission]) -> None:
    set_details(systems[0], "cb", [cb({"Dog": 1}, []), *[cb({}, ["Dog"])] * 4])
    user = caller(None)
    for query, numbers in (
        ("event=Dog", [1]),
        ("event=Dog&event_mode=imagined", [2, 3, 4, 5]),
        ("event=Dog&event_mode=imagined&q=train", [3]),
        ("event=Cat", []),
        ("error=any", []),  # nothing is known of errors here
    ):
        found = body(user.get(clips_path(systems[0], query)))
        assert [row["number"] for row in found["clips"]] == numbers
        assert found["total"] == len(numbers)
    for query in ("event_mode=nonsense", "sort=nonsense", "tag_mode=found", "with=x&" * 6):
        problem(user.get(clips_path(systems[0], query)), 422)
