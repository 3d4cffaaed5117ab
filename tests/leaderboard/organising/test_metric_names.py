"""After a rescoring with other parameters no place calls the metric by its plain name."""

import re
from datetime import timedelta
from functools import reduce
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from leaderboard.models import Kind, Notice, NoticeKind, Phase, RankSnapshot, Submission
from leaderboard.services.organising.rescoring import rescoring_open, rescoring_publish
from leaderboard.services.ranking.snapshots import phase_freeze
from tests.factories import NOW, PhaseFactory, TeamFactory, UserFactory, finish_all, join
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text

pytestmark = pytest.mark.django_db
TOLD = "FENSE (penalty 0.5)"
REASON = "Half is enough for a slip"


def rescore(phase: Phase, parameters: dict[str, Any], reason: str = REASON) -> None:
    """Publish a rescoring with made-up scores."""
    made = rescoring_open(phase=phase, parameters=parameters, reason=reason, actor=None, now=NOW)
    for submission in Submission.objects.filter(phase=phase):
        waiting = submission.evaluations.filter(state="pending")
        if waiting:
            finish_all(waiting, value=0.6, generator=np.random.default_rng(submission.pk))
    rescoring_publish(
        rescoring=made, accept_failures=False, actor=None, now=NOW + timedelta(hours=1)
    )
    phase.refresh_from_db()


@pytest.fixture
def rescored(cast: Cast) -> Cast:
    """Three systems ranked by FENSE, rescored with another penalty."""
    cast.rules(ranking_metric="fense")
    scored(cast.phase, cast.team, "Long", 0.4)
    for name in ("Short", "Middle"):
        scored(cast.phase, TeamFactory.create(), name, 0.5)
    rescore(cast.phase, {"fense": {"penalty": 0.5}})
    return cast


def place(cast: Cast, name: str, query: str = "") -> str:
    system = Submission.objects.get(system_name="Long").public_id
    args: list[str | int] = [cast.phase.challenge.slug, cast.phase.slug]
    own: dict[str, list[str | int]] = {
        "home": [],
        "team": [cast.team.slug],
        "challenge": args[:1],
        "challenge-phases": args[:1],
        "system": [system],
        "clips": [system],
        "clip": [system, 1],
        "profile": [system],
    }
    return reverse(f"leaderboard:{name}", args=own.get(name, args)) + query


PLACES = (
    ("home",),
    ("challenge",),
    ("challenge-phases",),
    ("board",),
    ("board", "?columns=all&systems=all"),
    ("board-export", "?format=csv"),
    ("board-export", "?format=latex"),
    ("history",),
    ("history", "?show=scores"),
    ("analysis",),
    ("compare",),
    ("distributions",),
    ("system",),
    ("clips",),
    ("clip",),
    ("profile",),
    ("team",),
    ("lab",),
    ("manage-phase",),
)


def test_every_place_says_with_which_parameters(rescored: Cast) -> None:
    for where in PLACES:
        user = rescored.owner if where[0] == "team" else rescored.organiser
        response = rescored.client(user).get(place(rescored, *where))
        assert response.status_code == 200, where
        content = b"".join(response) if response.streaming else response.content
        shown = (text(content) or content.decode()).replace("\\", "")
        assert TOLD in shown, where
        # Which families a phase computes is asked by their general names.
        general = ("What is FENSE?", "FENSE, 4.5 s", "and FENSE are computed")
        rest = reduce(lambda left, name: left.replace(name, ""), (TOLD, *general), shown)
        plain = [rest[at : at + 60] for at in range(len(rest)) if rest.startswith("FENSE", at)]
        assert plain == [], where
        # Those of other families say it of themselves.
        others = re.sub(rb"(SPIDEr|SPICE\+emb), reduced to a tenth if", b"", content)
        assert b"reduced to a tenth if the caption is flagged" not in others, where
    address = place(rescored, "board-export", "?format=csv&intervals=1")
    columns = b"".join(rescored.client(None).get(address)).decode().splitlines()[1]
    assert "fense (penalty 0.5),fense (penalty 0.5)_low" in columns


def test_the_board_says_since_when_and_why(rescored: Cast) -> None:
    page = text(rescored.client(None).get(place(rescored, "board")).content)
    assert f"{TOLD} since 1 Mar 2026, 13:00 UTC . The organisers' reason: {REASON}" in page
    # Tricks and false sounds were measured with the usual penalty.
    assert "this metric." not in page
    names = f"{rescored.phase.challenge.slug}/{rescored.phase.slug}"
    answer = rescored.client(None).get(f"/api/v1/phases/{names}/leaderboard").json()
    assert answer["ranking_label"] == TOLD
    assert answer["changed_metrics"] == [
        {"label": TOLD, "since": "2026-03-01T13:00:00Z", "reason": REASON}
    ]
    assert answer["rows"][0]["metrics"]["fense"]["label"] == TOLD
    rescore(rescored.phase, {"fense": {"penalty": 0.9}}, "Back again")
    page = text(rescored.client(None).get(place(rescored, "board")).content)
    assert TOLD not in page
    assert "organisers' reason" not in page


def test_values_of_before_keep_the_name_that_they_had(rescored: Cast) -> None:
    (kept,) = RankSnapshot.objects.all()
    args = [rescored.phase.challenge.slug, rescored.phase.slug]
    of_before = reverse("leaderboard:snapshot", args=[*args, kept.pk])
    page = text(rescored.client(None).get(of_before).content)
    assert "FENSE" in page
    assert TOLD not in page
    # A frozen ranking is of values that were computed before the next rescoring.
    phase_freeze(phase=rescored.phase, actor=None, now=NOW + timedelta(hours=2))
    rescore(rescored.phase, {"fense": {"penalty": 0.25}})
    for name in ("home", "challenge", "challenge-phases", "board", "history", "system"):
        page = text(rescored.client(None).get(place(rescored, name)).content)
        assert TOLD in page
        assert "penalty 0.25" not in page
    page = text(rescored.client(rescored.organiser).get(place(rescored, "board")).content)
    assert "FENSE (penalty 0.25)" in page


def test_phases_with_other_parameters_have_columns_of_their_own(rescored: Cast) -> None:
    other = PhaseFactory.create(challenge=rescored.phase.challenge, ranking_metric="fense")
    scored(other, rescored.team, "Plain", 0.443)
    page = text(rescored.client(None).get(place(rescored, "challenge-phases")).content)
    assert f"{TOLD} in {rescored.phase.name}" in page
    assert f"FENSE in {other.name}" in page
    challenge = rescored.phase.challenge.slug
    answer = rescored.client(None).get(f"/api/v1/challenges/{challenge}/leaderboards").json()
    assert [row["ranking_label"] for row in answer["phases"]] == [TOLD, "FENSE"]


def test_every_team_is_told_once_and_why(rescored: Cast) -> None:
    def told() -> list[str]:
        notices = Notice.objects.filter(kind=NoticeKind.JUDGED)
        return sorted(notices.values_list("user__username", flat=True))

    assert told() == sorted([rescored.owner.username, rescored.member.username])
    Notice.objects.all().delete()
    both, baseline = UserFactory.create_batch(2)
    for system in Submission.objects.exclude(team=rescored.team):
        join(system.team, both)
    beside = scored(rescored.phase, TeamFactory.create(), "Beside", 0.1)
    Submission.objects.filter(pk=beside.pk).update(kind=Kind.BASELINE)
    join(beside.team, baseline)
    rescore(rescored.phase, {"fense": {"penalty": 0.25}}, "Milder")
    assert told() == sorted(user.username for user in (rescored.owner, rescored.member, both))
    notice = Notice.objects.get(user=both, kind=NoticeKind.JUDGED)
    assert notice.text == (
        f"The organisers computed FENSE (penalty 0.25) again in {rescored.phase.name}. Ranks may "
        "have changed. Their reason: Milder"
    )
    assert notice.path == place(rescored, "board")
    assert notice.mail_due_at is not None
