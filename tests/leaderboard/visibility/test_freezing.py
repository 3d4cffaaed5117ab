"""While a ranking is frozen all but the organisers see it as it stood, whatever happens."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from itertools import product
from typing import Any

import pytest
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard.job_tasks import kinds_sweep
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Kind,
    MetricResult,
    Phase,
    Submission,
    Team,
    User,
)
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import (
    frozen_ranking,
    visible_results,
    visible_to,
)
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.phases import RULES, phase_change
from leaderboard.services.ranking.snapshots import phase_freeze, phase_reveal
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import TeamFactory, UserFactory, finish, join, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored, text
from tests.leaderboard.visibility.test_hidden_phase import ASKED, World, send, taken_back, whole

NEW = "Quickbeam"


@dataclass(frozen=True)
class Ice:
    """A frozen phase: two systems that stood, one that was being scored, one handed in since."""

    cast: Cast
    rival: User
    first: Submission
    second: Submission
    unfinished: Submission
    late: Submission

    def client(self, who: str) -> Client:
        users = {"anonymous": None, "rival": self.rival}
        return self.cast.client(users[who] if who in users else getattr(self.cast, who))

    def url(self, name: str, query: str = "") -> str:
        args = [self.cast.phase.challenge.slug, self.cast.phase.slug]
        return reverse(f"leaderboard:{name}", args=args) + query

    def api(self, end: str) -> str:
        return f"/api/v1/phases/{self.cast.phase.challenge.slug}/{self.cast.phase.slug}/{end}"


@pytest.fixture
def ice(cast: Cast) -> Ice:
    now = timezone.now()
    rivals, rival = TeamFactory.create(name="Rivals"), UserFactory.create()
    join(rivals, rival)
    first = scored(cast.phase, rivals, "Oak", 0.6)
    second = scored(cast.phase, cast.team, "Elm", 0.4)
    unfinished = submit(cast.phase, TeamFactory.create(name="Slow"), name="Yew")
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=now)
    cast.phase.refresh_from_db()
    finish(unfinished, value=0.8)
    late = scored(cast.phase, cast.team, NEW, 0.93713)
    return Ice(cast, rival, first, second, unfinished, late)


def board(ice: Ice, who: str) -> str:
    return text(ice.client(who).get(ice.url("board", "?systems=all&columns=all")).content)


def numbers(ice: Ice, who: str) -> Any:
    """The rows of the API's leaderboard without what the API says of the moment."""
    return ice.client(who).get(ice.api("leaderboard?systems=all")).json()


def test_what_is_handed_in_later_is_seen_by_the_team_and_the_organisers(ice: Ice) -> None:
    page = reverse("leaderboard:system", args=[ice.late.public_id])
    people = ("anonymous", "outsider", "rival", "member", "organiser")
    codes = [ice.client(who).get(page).status_code for who in people]
    assert codes == [404, 404, 404, 200, 200]
    own = text(ice.client("member").get(page).content)
    assert "0.937" in own
    assert "of 3 teams" not in own
    assert "of 2 teams" not in own
    assert "1 of 3 teams" in text(ice.client("organiser").get(page).content)


def test_the_board_is_that_of_the_moment_and_organisers_see_the_live_one_too(ice: Ice) -> None:
    for who in ("anonymous", "outsider", "rival", "member"):
        shown = board(ice, who)
        assert NEW not in shown
        assert shown.index("Oak") < shown.index("Elm")
        assert "Frozen since" in shown
        rows = [(row["rank"], row["system_name"]) for row in numbers(ice, who)["rows"]]
        assert rows == [(1, "Oak"), (2, "Elm"), (None, "Yew")]
        assert NEW not in text(ice.client(who).get("/").content), "of the leaders at home"
    assert "Oak" in text(ice.client("member").get("/").content)
    assert NEW in text(ice.client("organiser").get("/").content)
    shown = board(ice, "organiser")
    assert shown.index(NEW) < shown.index("Oak") < shown.index("Elm")
    assert "Everyone else sees the ranking of" in shown
    response = ice.client("organiser").get(ice.url("board", "?as=visitor&systems=all"))
    assert NEW not in text(response.content)


def rescored(ice: Ice) -> None:
    """Publish another computation, as a rescoring does."""
    for old in list(Evaluation.objects.filter(published=True, submission=ice.first)):
        results = list(MetricResult.objects.filter(evaluation=old))
        Evaluation.objects.filter(pk=old.pk).update(published=False)
        old.pk, old.signature, old.published = None, old.signature + "|other", True
        old.save()
        for row in results:
            row.pk, row.evaluation, row.value = None, old, 0.01357
            row.per_clip = b"\0" * len(row.per_clip)
            row.save()


LATER: dict[str, Callable[[Ice], object]] = {
    "rescoring": rescored,
    "renaming": lambda ice: (
        Submission.objects.filter(pk=ice.first.pk).update(system_name="01357"),
        Team.objects.filter(pk=ice.first.team_id).update(name="01357"),
    ),
    "disqualification": lambda ice: Submission.objects.filter(pk=ice.first.pk).update(
        disqualified_at=timezone.now(), disqualified_for="01357"
    ),
    "withdrawal": lambda ice: Submission.objects.filter(pk=ice.first.pk).update(
        withdrawn_at=timezone.now()
    ),
    "made a baseline": lambda ice: Submission.objects.filter(pk=ice.first.pk).update(
        kind=Kind.BASELINE
    ),
    "chosen": lambda ice: Submission.objects.filter(pk=ice.late.pk).update(chosen=True),
}
PAGES = ("board", "analysis", "compare", "distributions", "metric-pair")


def looked_at(ice: Ice) -> dict[str, str]:
    """Everything about what stood that a visitor sees."""
    client = ice.client("anonymous")
    base = f"/s/{ice.first.public_id}/"
    paths = [*(ice.url(name) for name in PAGES), ice.url("board", "?systems=all&columns=all")]
    paths += [base, f"{base}clips/", f"{base}clips/2/", f"{base}profile/", "/"]
    found = {path: text(client.get(path).content) for path in paths}
    api = f"/api/v1/submissions/{ice.first.public_id}"
    for path in (api, f"{api}/metrics", f"{api}/clips?metric=cider_d", ice.api("leaderboard")):
        found[path] = client.get(path).content.decode()
    return found


def test_nothing_later_shows_in_what_stood(ice: Ice, settings: Settings) -> None:
    before = looked_at(ice)
    assert all(before.values())
    for name, change in LATER.items():
        with taken_back():
            change(ice)
            # What is kept is kept by the number of a change, which is given again here.
            for kept in settings.CACHES:
                caches[kept].clear()
            after = looked_at(ice)
        assert {path for path in before if before[path] != after[path]} == set(), name


def test_no_address_tells_what_came_later(ice: Ice, settings: Settings) -> None:
    """Names and values of what was handed in since, asked for by name where that can be."""
    settings.RATELIMIT_ENABLE = False
    human = human_row_create(phase=ice.cast.phase, actor=None, now=timezone.now())
    world = World(ice.cast, ice.first, human, ice.late)
    asked = [
        (row.method, world.path(route, query, of=of, file_name="dog.wav"))
        for route, row in ASKED.items()
        for of in ((ice.first, ice.late) if "public_id" in route else (ice.first,))
        for query in row.queries
    ]
    faults = []
    for who, (method, path) in product(("anonymous", "rival"), asked):
        told = whole(send(ice.client(who), method, path)).replace(path, "").lower()
        seen = [mark for mark in (NEW.lower(), "0.937", ice.late.public_id) if mark in told]
        faults += [f"{method} {path} tells {who} {mark}" for mark in seen]
    assert faults == []


def test_kept_rankings_are_read_by_organisers_until_all_is_revealed(ice: Ice) -> None:
    snapshot = ice.cast.phase.snapshots.get()
    kept = ice.cast.at("snapshot", snapshot.pk)
    paths = [f"{kept}?systems=all", f"{kept}?format=json"]

    def codes(who: str) -> set[int]:
        listed = snapshot.sha256 in whole(ice.client(who).get(ice.url("history")))
        found = {ice.client(who).get(path).status_code for path in paths}
        assert listed is (found == {200})
        return found

    assert codes("organiser") == {200}
    assert codes("anonymous") == codes("member") == {404}
    phase_reveal(phase=ice.cast.phase, actor=ice.cast.organiser, now=timezone.now())
    assert codes("anonymous") == {200}
    page, file = (ice.client("anonymous").get(path) for path in paths)
    assert snapshot.sha256 in text(page.content)
    assert text(page.content).index("Oak") < text(page.content).index("Elm")
    assert sha256(file.content).hexdigest() == snapshot.sha256
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=1))
    assert codes("anonymous") == {404}
    Phase.objects.update(names_hidden_until=None, scores_public=False)
    assert codes("anonymous") == {404}


def test_organisers_freeze_and_reveal_by_buttons(ice: Ice) -> None:
    client, page, reveal = ice.client("organiser"), ice.url("manage-ranking"), {"act": "reveal"}
    assert "Reveal the ranking" in text(client.get(page).content)
    client.post(page, reveal)
    assert Phase.objects.get(pk=ice.cast.phase.pk).frozen_at is None
    shown = plain(client.post(page, reveal, follow=True).content.decode())
    assert "is not frozen. Nothing was changed." in shown
    client.post(page, {"act": "freeze"})
    assert Phase.objects.get(pk=ice.cast.phase.pk).frozen_at is not None


def test_how_the_ranking_is_made_stays_while_it_is_frozen(ice: Ice) -> None:
    phase = ice.cast.phase
    values = {name: getattr(phase, name) for name in RULES}
    act: dict[str, Any] = {"actor": ice.cast.organiser, "now": timezone.now()}
    act["version"] = version_of(phase, RULES)
    with pytest.raises(ValidationError) as refused:
        phase_change(phase=phase, values={**values, "ranking_metric": "fense"}, **act)
    assert set(refused.value.message_dict) == {"ranking_metric"}
    phase_change(phase=phase, values={**values, "name": "Final"}, **act)
    assert Phase.objects.get(pk=phase.pk).name == "Final"


def test_what_was_being_scored_then_stays_without_numbers_but_for_its_team(ice: Ice) -> None:
    page = reverse("leaderboard:system", args=[ice.unfinished.public_id])
    shown = text(ice.client("anonymous").get(page).content)
    assert "Not scored yet when the ranking was frozen." in shown
    progress = ice.client("anonymous").get(f"{page}progress/")
    assert progress.headers["HX-Refresh"] == "true"
    join(ice.unfinished.team, user := UserFactory.create())
    shown = text(ice.cast.client(user).get(page).content)
    assert "Not scored yet" not in shown
    assert "of 3 teams" not in shown


def test_every_system_has_its_rank_among_all_in_a_frozen_ranking(cast: Cast) -> None:
    rivals = TeamFactory.create(name="Rivals")
    for team, name, value in ((rivals, "Ash", 0.7), (rivals, "Oak", 0.6), (cast.team, "Elm", 0.4)):
        scored(cast.phase, team, name, value)
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    path = f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/leaderboard"
    ranks = [
        {row["system_name"]: row["rank"] for row in cast.client(None).get(asked).json()["rows"]}
        for asked in (path, f"{path}?systems=all")
    ]
    assert ranks == [{"Ash": 1, "Elm": 2}, {"Ash": 1, "Oak": 2, "Elm": 3}]


def test_names_can_be_hidden_in_a_frozen_ranking(ice: Ice) -> None:
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=1))
    shown = board(ice, "anonymous")
    assert "Oak" not in shown
    assert "Rivals" not in shown
    assert "Elm" in board(ice, "member")


def test_once_revealed_everyone_sees_the_live_ranking(ice: Ice) -> None:
    phase_reveal(phase=ice.cast.phase, actor=ice.cast.organiser, now=timezone.now())
    shown = board(ice, "anonymous")
    assert shown.index(NEW) < shown.index("Yew") < shown.index("Oak")
    assert "Frozen since" not in shown


def test_without_its_snapshot_a_frozen_ranking_shows_nothing(ice: Ice) -> None:
    """A phase that says that it is frozen at a moment of which nothing was kept."""
    Phase.objects.update(frozen_at=timezone.now())
    assert numbers(ice, "anonymous")["rows"] == []


def test_a_retry_that_succeeds_later_does_not_show(ice: Ice) -> None:
    Evaluation.objects.filter(submission=ice.second, family="meteor").update(
        state=EvaluationState.FAILED
    )
    phase_reveal(phase=ice.cast.phase, actor=None, now=timezone.now())
    moment = timezone.now()
    phase_freeze(phase=ice.cast.phase, actor=None, now=moment)
    Evaluation.objects.filter(submission=ice.second).update(state=EvaluationState.DONE)
    ice.cast.phase.refresh_from_db()
    shown = visible_to(Submission.objects.get(pk=ice.second.pk), Visibility(until=moment))
    assert shown is not None
    assert "meteor" not in set(visible_results(shown).values_list("metric", flat=True))


def test_a_disqualified_system_of_a_frozen_ranking_has_one_rank_on_its_page(ice: Ice) -> None:
    """Its team sees it live, out of the ranking, beside a table in which it still stands."""
    Submission.objects.filter(pk=ice.second.pk).update(disqualified_at=timezone.now())
    page = ice.client("member").get(reverse("leaderboard:system", args=[ice.second.public_id]))
    assert page.content.decode().count("<dt>Rank</dt>") == 1
    assert "Rank disqualified" in text(page.content)


def test_an_organiser_is_warned_of_what_is_being_scored_and_may_wait_for_it(cast: Cast) -> None:
    """Handed in before: in the frozen ranking with its values. After: left out."""
    scored(cast.phase, TeamFactory.create(), "Oak", 0.6)
    awaited = submit(cast.phase, cast.team, name="Yew")
    client, page = cast.client(cast.organiser), cast.at("manage-ranking")
    assert "1 system is being scored. Frozen now" in text(client.get(page).content)
    client.post(page, {"act": "wait"})
    submit(cast.phase, TeamFactory.create(), name=NEW)
    kinds_sweep()
    assert Phase.objects.get(pk=cast.phase.pk).frozen_at is None
    assert "1 system to go. Later submissions are left out." in text(client.get(page).content)
    finish(awaited, value=0.8)
    kinds_sweep()
    phase = Phase.objects.get(pk=cast.phase.pk)
    assert phase.frozen_at is not None
    assert phase.freeze_asked_at is None
    frozen = frozen_ranking(phase.pk, phase.frozen_at).systems.values()
    assert [(row.system_name, row.rank) for row in frozen] == [("Yew", 1), ("Oak", 2)]


def test_a_ranking_that_waits_to_be_frozen_can_be_left_live(cast: Cast) -> None:
    awaited = submit(cast.phase, cast.team, name="Yew")
    client, page = cast.client(cast.organiser), cast.at("manage-ranking")
    client.post(page, {"act": "wait"})
    client.post(page, {"act": "cancel"})
    finish(awaited)
    kinds_sweep()
    assert Phase.objects.get(pk=cast.phase.pk).frozen_at is None
