"""What is left to a team, whatever it and the organisers do, against a model in plain Python."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leaderboard.models import EvaluationState, Phase, Submission, User
from leaderboard.selectors.submissions.quotas import (
    Quota,
    SubmissionSlots,
    moment_in,
    quota_of,
    submission_slots,
)
from leaderboard.services.submissions.changes import submission_take_back, submission_withdraw
from leaderboard.web.refusals import Refused
from tests.factories import NOW, submit
from tests.leaderboard.conftest import Cast

LIMIT = st.none() | st.integers(0, 4)
FIRST, LAST = (datetime(year, 1, 1) for year in (2020, 2030))  # noqa: DTZ001
WHICH = st.integers(0, 9)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("upload"), st.integers(0, 30)),
        st.tuples(st.just("withdraw"), WHICH),
        st.tuples(st.just("take back"), WHICH),
        st.tuples(st.just("fail"), WHICH),
        st.tuples(st.just("rescore"), WHICH),
        st.tuples(st.just("limit"), st.tuples(LIMIT, LIMIT, LIMIT)),
    ),
    max_size=14,
)


@dataclass
class One:
    """A submission as the model knows it."""

    row: Submission
    at: datetime
    failed: bool = False
    withdrawn: bool = False


@dataclass
class Model:
    """What ought to be."""

    per_day: int | None = None
    total: int | None = None
    places: int | None = None
    taken: list[One] = field(default_factory=list)

    def left(self, now: datetime) -> int | None:
        """The submissions that are left."""
        counted = [one for one in self.taken if not one.failed]
        today = [one for one in counted if one.at.date() == now.date()]
        options = [
            max(0, limit - len(used))
            for limit, used in ((self.per_day, today), (self.total, counted))
            if limit is not None
        ]
        return min(options, default=None)

    def places_left(self) -> int | None:
        """The systems that may stand besides."""
        standing = sum(not one.withdrawn for one in self.taken)
        return None if self.places is None else max(0, self.places - standing)


class Run:
    """One history, on the real services and on the model at once."""

    def __init__(self, phase: Phase, team: Any, user: User) -> None:
        self.phase, self.team, self.user = phase, team, user
        self.now, self.model = NOW, Model()

    def do(self, act: str, value: Any) -> None:
        """Do one step, and compare."""
        if act == "upload":
            self.now += timedelta(hours=value)
            self.upload()
        elif act == "limit":
            self.model.per_day, self.model.total, self.model.places = value
            names = ("quota_per_day", "quota_total", "systems_per_team")
            Phase.objects.filter(pk=self.phase.pk).update(**dict(zip(names, value, strict=True)))
            self.phase.refresh_from_db()
        elif self.model.taken:
            self.change(act, self.model.taken[value % len(self.model.taken)])
        self.compare()

    def upload(self) -> None:
        """Submit; it is taken exactly where the model has room."""
        model, now = self.model, self.now
        try:
            row = submit(self.phase, self.team, now=now)
        except Refused as refused:
            if "submissions left" in str(refused):
                assert model.left(now) == 0
            elif " used." in str(refused):
                assert model.left(now) != 0
                assert model.places_left() == 0
            else:
                raise
        else:
            assert model.left(now) != 0
            assert model.places_left() != 0
            model.taken.append(One(row, now))

    def change(self, act: str, one: One) -> None:
        """Do something with a submission that was taken."""
        common: dict[str, Any] = {"submission": one.row, "actor": self.user, "now": self.now}
        if act == "withdraw":
            assert submission_withdraw(**common) == (not one.withdrawn)
            one.withdrawn = True
        elif act == "take back" and one.withdrawn:
            try:
                submission_take_back(**common)
            except Refused as refused:
                if " used." not in str(refused):
                    raise
                assert self.model.places_left() == 0
            else:
                assert self.model.places_left() != 0
                one.withdrawn = False
        elif act in {"fail", "rescore"}:
            one.failed = act == "fail"
            state = EvaluationState.FAILED if one.failed else EvaluationState.DONE
            one.row.evaluations.filter(family="cider_d").update(state=state)

    def compare(self) -> None:
        """Compare what is said to be left."""
        quota = quota_of(phase=self.phase, team=self.team, now=self.now)
        assert quota.left == self.model.left(self.now)
        assert quota.left is None or quota.left >= 0
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
        assert quota.resets_at in (None, midnight + timedelta(days=1))
        assert submission_slots(phase=self.phase, team=self.team).left == self.model.places_left()


def test_quotas_and_places_are_what_the_rules_say_whatever_happens(cast: Cast) -> None:
    @given(STEPS)
    @example([("limit", (1, None, None)), ("upload", 0), ("upload", 30)])  # on the next day
    @settings(
        max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    def run(steps: list[tuple[str, Any]]) -> None:
        before = transaction.savepoint()
        try:
            history = Run(Phase.objects.get(pk=cast.phase.pk), cast.team, cast.member)
            for act, value in steps:
                history.do(act, value)
        finally:
            transaction.savepoint_rollback(before)

    run()


@given(
    st.datetimes(FIRST, LAST, timezones=st.just(UTC)),
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "Pacific/Auckland"]),
)
def test_a_moment_is_told_in_the_challenges_zone_and_in_utc(at: datetime, zone: str) -> None:
    said = moment_in(at, zone)
    assert said.endswith(f"{at:%Y-%m-%d %H:%M} UTC")
    assert (zone == "UTC") == ("(" not in said)


def test_a_lowered_limit_reads_none_left_and_never_less_or_nothing(cast: Cast) -> None:
    for _ in range(5):
        submit(cast.phase, cast.team, now=NOW)
    cast.phase.quota_per_day = 3
    cast.phase.challenge.time_zone = "Europe/Berlin"
    quota = quota_of(phase=cast.phase, team=cast.team, now=NOW)
    assert quota.sentence == (
        "0 of 3 submissions left today; the count resets at "
        "2026-03-02 01:00 (Europe/Berlin), 2026-03-02 00:00 UTC."
    )
    assert Quota(None).sentence == "There is no limit on submissions."


def test_a_refusal_names_what_can_be_withdrawn_and_not_endlessly() -> None:
    taken = tuple(Submission(system_name=f"S{number}") for number in range(12))
    said = SubmissionSlots(3, taken).sentence
    assert said.startswith("12 of 3 systems used. Withdraw one to make room: S0,")
    assert said.endswith("S7, or one of 4 more.")
