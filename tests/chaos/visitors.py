"""People who take part: they sign up in a browser's way and hand in with the client's code."""

import re
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx
from django.db.models import QuerySet

from earmark.captions import References
from earmark.client.command_line import Unreachable
from earmark.client.server import Account, Server
from leaderboard.models import Challenge, Evaluation, EvaluationState, Phase, Team, User
from tests.chaos.programs import SiteBroken, until
from tests.factories import ChallengeFactory, PhaseFactory, reference_set

PASSWORD = "correct horse battery"
NAMES = ("Ada", "Ben", "Cleo")
QUOTA = 1000

_SUBJECTS = ("A dog", "Heavy rain", "A train", "A small bell", "A crowd", "An engine")
_ACTIONS = ("is heard near a road", "sounds twice and stops", "goes on in the distance")
REFERENCES = References.build(
    (f"clip {a}-{b}.wav", [f"{subject} {action}.", f"{subject} {action}, then wind blows."])
    for a, subject in enumerate(_SUBJECTS)
    for b, action in enumerate(_ACTIONS)
)


def captions(system: str) -> bytes:
    """A system's file; each name has captions of its own, the same in every run."""
    seed = sum(system.encode())
    rows = ["file_name,caption_predicted"]
    for at, name in enumerate(REFERENCES.file_names):
        subject = _SUBJECTS[(at // len(_ACTIONS) + (at % (2 + seed % 5) == 0)) % len(_SUBJECTS)]
        rows.append(f"{name},{subject.lower()} {_ACTIONS[(at + seed) % len(_ACTIONS)]}")
    return "\n".join(rows).encode()


class Person:
    """Somebody with an account, a team and a token, all made on the site's pages."""

    def __init__(self, site: str, name: str) -> None:
        self.name, self.site, self.team = name, site, f"team-{name.lower()}"
        self._browser = httpx.Client(base_url=site, follow_redirects=True, timeout=60)
        self.send(
            "/accounts/signup/",
            username=name,
            email=f"{name.lower()}@example.org",
            password1=PASSWORD,
            password2=PASSWORD,
        )
        self.send("/teams/", act="new", name=f"Team {name}", affiliation="")
        page = self.send("/account/tokens/", act="new", name="chaos")
        found = re.search(r'id="new-token">([^<]+)<', page.text)
        if found is None:
            raise SiteBroken(f"{name} got no token: {page.url} answered {page.status_code}")
        self.token = found[1]
        self._account = Account(site, self.token)

    def send(self, path: str, *, page: str = "", **fields: str) -> httpx.Response:
        """Fill in a form and send it; it stands on the page of its own address or another."""
        self._browser.get(page or path).raise_for_status()
        fields["csrfmiddlewaretoken"] = self._browser.cookies["csrftoken"]
        answer = self._browser.post(path, data=fields, headers={"Referer": self.site + path})
        answer.raise_for_status()
        return answer

    def look(self, path: str) -> httpx.Response:
        """Open a page."""
        return self._browser.get(path)

    def log_in_anew(self) -> httpx.Response:
        """Log in with another browser."""
        self._browser = httpx.Client(base_url=self.site, follow_redirects=True, timeout=60)
        return self.send("/accounts/login/", login=self.name, password=PASSWORD)

    def server(self) -> Server:
        """The API, spoken to as the command-line client does; pauses are short."""
        server = Server.of(self._account, lambda _text: None)
        server.sleep = lambda seconds: time.sleep(min(seconds, 0.5))
        return server

    def submit(
        self, phase: Phase, system: str, *, within: float, report: bytes = b"", content: bytes = b""
    ) -> str:
        """Hand a system in, again and again under one key until the site says that it has it."""
        server, end = self.server(), time.monotonic() + within
        files: dict[str, Any] = {"file": (f"{system}.csv", content or captions(system))}
        if report:
            files["report"] = ("report.pdf", report)
        path = f"/phases/{phase.challenge.slug}/{phase.slug}/submissions"
        fields = {"system_name": system, "team": self.team}
        while True:
            try:
                answer = server.upload(
                    path, fields=fields, files=files, key=f"{phase.slug}-{system.replace(' ', '-')}"
                )
            except Unreachable:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
            else:
                return str(answer["id"])


@dataclass
class Trial:
    """What is asked of the site while one thing goes wrong: a phase and what is handed in to it."""

    people: list[Person]
    phase: Phase
    # By system: who handed it in, and the id that the site has given.
    accepted: dict[str, tuple[Person, str]] = field(default_factory=dict)
    # Families for which a failure with a reason is a good end.
    may_fail: frozenset[str] = frozenset()
    within: float = 60.0

    @classmethod
    def begin(cls, name: str, people: list[Person]) -> "Trial":
        """Make a phase of its own, in a challenge of its own."""
        challenge: Challenge = ChallengeFactory.create(slug=name, title=name)
        phase = PhaseFactory.create(
            challenge=challenge,
            slug=name,
            reference_set=reference_set(REFERENCES),
            quota_total=QUOTA,
        )
        return cls(people, phase)

    def submit(self, *systems: str, report: bytes = b"") -> None:
        """Hand systems in, one after another; who hands in takes turns."""
        for at, system in enumerate(systems or NAMES):
            person = self.people[at % len(self.people)]
            public_id = person.submit(self.phase, system, within=self.within, report=report)
            self.accepted[system] = (person, public_id)

    @property
    def evaluations(self) -> QuerySet[Evaluation]:
        """All that is computed for the trial."""
        return Evaluation.objects.filter(submission__phase=self.phase)

    def wait_for(self, count: int) -> None:
        """Wait until so many are handed in."""
        until(lambda: len(self.accepted) >= count, seconds=60, what=f"{count} are handed in")

    def ended(self) -> bool:
        """Whether all that was handed in is scored or failed."""
        waits = (EvaluationState.PENDING, EvaluationState.RUNNING)
        return not self.evaluations.filter(state__in=waits).exists()

    def retry(self) -> None:
        """Press the button that has what failed computed again."""
        for person, public_id in self.accepted.values():
            person.send(f"/s/{public_id}/", act="retry")

    def submit_meanwhile(self, *systems: str) -> "Future[None]":
        """The same, while something else is done."""
        with_one = ThreadPoolExecutor(1)
        try:
            return with_one.submit(self.submit, *systems)
        finally:
            with_one.shutdown(wait=False)


def sign_up(site: str) -> list[Person]:
    """Everyone who takes part."""
    people = [Person(site, name) for name in NAMES]
    if User.objects.count() < len(NAMES) or Team.objects.count() < len(NAMES):
        raise SiteBroken("Nobody could sign up")
    return people


def systems(count: int) -> Iterable[str]:
    """Names of many systems."""
    return (f"System {number}" for number in range(count))
