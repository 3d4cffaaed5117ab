"""Judgments of one's own: uploaded, measured, read and deleted by who they are of alone."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from earmark.benchmark import shares
from leaderboard.forms.playground import PlaygroundForm
from leaderboard.models import JudgmentSet, JudgmentsState, Phase, User
from leaderboard.selectors.analysis.human_judgments import judged_preferences, wrong_pairs
from leaderboard.selectors.people.accounts import person_parts
from leaderboard.services.judgments import measuring, states
from leaderboard.services.people.accounts import account_delete
from leaderboard.tasks import JUDGMENTS_TASKS
from tests.factories import PhaseFactory, UserFactory
from tests.leaderboard.scored_pages import text

METRICS = ("bleu_1", "rouge_l")
HOSTILE = '<script>alert("x")</script> & "rain"'
LINES = (
    "clip,kind,caption_a,caption_b,votes,reference_1,reference_2",
    # As ROUGE-L and BLEU have it.
    "rain.wav,MM,rain falls,a dog,1 1 -1,rain falls on a roof,it rains",
    # The other way: people prefer the one without a word of the references.
    "rain.wav,MM,rain falls on a roof,an owl,-1 -1 0,,",
    f'dog.wav,MM,a dog,"{HOSTILE.replace(chr(34), chr(34) * 2)}",-1,a dog barks,a dog is barking',
    # Both without a word of the references: a tie.
    "dog.wav,HI,cats sleep,music plays,1,,",
    "dog.wav,MM,a dog,a dog barks,1 -1,,",
)
ADDRESS = "/metrics/agreement/own/"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[tuple[int, int]]:
    """Measure metrics that load no model; what is sent to the queue, which no worker takes."""
    settings.RATELIMIT_ENABLE = False
    monkeypatch.setattr(measuring, "benchmark_metrics", lambda **_: METRICS)
    messages: list[tuple[int, int]] = []
    monkeypatch.setattr(
        JUDGMENTS_TASKS.task, "apply_async", lambda args, **_: messages.append(tuple(args))
    )
    return messages


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def upload(user: User, lines: Any = LINES, name: str = "", file_name: str = "mine.csv") -> Any:
    data = lines if isinstance(lines, bytes) else "\n".join(lines).encode()
    file = SimpleUploadedFile(file_name, data)
    return client_of(user).post(ADDRESS, {"file": file, "name": name})


@pytest.fixture
def ann(db: None) -> User:
    return UserFactory.create()


@pytest.fixture
def measured(ann: User) -> JudgmentSet:
    assert upload(ann, name="Rain <b>").status_code == 302
    found = JudgmentSet.objects.get()
    JUDGMENTS_TASKS.task(found.pk, found.token)
    found.refresh_from_db()
    return found


@pytest.mark.django_db(transaction=True)
def test_a_file_is_kept_and_measured_by_a_worker(quick: list[tuple[int, int]]) -> None:
    ann = UserFactory.create()
    answer = upload(ann)
    found = JudgmentSet.objects.get()
    assert answer["Location"] == f"{ADDRESS}{found.pk}/"
    assert quick == [(found.pk, found.token)]
    assert (found.owner, found.phase, found.name, found.votes) == (ann, None, "mine", 10)
    page = client_of(ann).get(answer["Location"]).content
    assert "Waiting." in text(page)
    assert "vendor/htmx/" in page.decode()
    JUDGMENTS_TASKS.task(*quick[0])
    found.refresh_from_db()
    assert found.state == JudgmentsState.DONE
    assert [row["name"] for row in found.results["metrics"]] == [*METRICS]
    shown = text(client_of(ann).get(answer["Location"]).content)
    for said in ("ROUGE", "95 % interval", "10 votes on 5 pairs", "Wrong pairs"):
        assert said in shown


def test_shares_and_intervals_are_those_of_what_is_kept(measured: JudgmentSet) -> None:
    kept = judged_preferences(measured)
    assert kept.clips.tolist() == [0, 0, 1, 1]
    found = shares(kept, kept.differences["rouge_l"])["Total"]
    assert (found.correct, found.pairs, found.undecided) == (1, 4, 1)
    row = next(row for row in measured.results["metrics"] if row["name"] == "rouge_l")
    assert row["shares"]["Total"]["low"] == found.interval.low


def test_json_in_the_form_of_audiocaps_eval_is_taken(ann: User) -> None:
    item = {"references": ["it rains", "rain"], "HC": ["it rains", "rain", "x", "y", [1, -1, 1]]}
    assert upload(ann, json.dumps([item]).encode(), file_name="x.json").status_code == 302
    assert JudgmentSet.objects.get().pairs == [
        {
            "clip": 0,
            "facet": "HC",
            "captions": ["it rains", "rain"],
            "truth": 1.0,
            "votes": [1.0, -1.0, 1.0],
        }
    ]


WRONG = (
    ((LINES[0], "x,XX,a,b,1,c,"), "Use HC, HI, HM or MM"),
    ((LINES[0], "x,MM,a,b,perhaps,c,"), "perhaps"),
    ((LINES[0], "x,MM,a,b,1 -1,c,"), "no pair yet on which judges prefer"),
    ((LINES[0], f"x,MM,a,b,{HOSTILE},c,"), "&lt;script&gt;alert"),
    ((), "The file is empty"),
    ((LINES[0], f"x,MM,{'a' * 501},b,1,c,"), "the limit is 500"),
)


def test_what_is_wrong_with_a_file_is_said_and_nothing_kept(ann: User, settings: Any) -> None:
    for lines, said in WRONG:
        answer = upload(ann, lines)
        page = answer.content.decode()
        assert (answer.status_code, said in page) == (422, True), said
        assert "<script>alert" not in page
    settings.MAX_UPLOAD_BYTES = 100
    answer = upload(ann)
    assert (answer.status_code, "larger than the limit" in text(answer.content)) == (422, True)
    assert not JudgmentSet.objects.exists()


def test_one_file_is_measured_at_a_time_and_few_are_kept(
    ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(ann)
    again = upload(ann)
    assert again.status_code == 409
    assert "still being measured" in text(again.content)
    assert upload(UserFactory.create()).status_code == 302
    JudgmentSet.objects.update(state=JudgmentsState.FAILED)
    monkeypatch.setattr(states, "MOST_KEPT", 1)
    assert "which is the limit" in text(upload(ann).content)


def test_only_its_owner_and_superusers_see_a_file(ann: User, measured: JudgmentSet) -> None:
    other, boss = UserFactory.create(), UserFactory.create(is_superuser=True)
    pages = ("", "wrong/rouge_l/", "wrong/rouge_l/?csv=1")
    for page in pages:
        address = f"{ADDRESS}{measured.pk}/{page}"
        codes = [client_of(user).get(address).status_code for user in (None, other, boss, ann)]
        assert codes == [302, 404, 200, 200], page
    assert client_of(other).post(f"{ADDRESS}{measured.pk}/", {"act": "delete"}).status_code == 404
    assert "Rain" not in client_of(other).get(ADDRESS).content.decode()
    assert "Rain &lt;b&gt;" in client_of(ann).get(ADDRESS).content.decode()


def test_a_file_goes_when_its_owner_wants_and_with_the_account(
    ann: User, measured: JudgmentSet
) -> None:
    parts: dict[str, Any] = dict(person_parts(ann))
    (told,) = parts["judgments"]
    assert isinstance(told, dict)
    assert told["name"] == "Rain <b>"
    client = client_of(ann)
    assert client.post(f"{ADDRESS}{measured.pk}/", {"act": "delete"})["Location"] == ADDRESS
    assert not JudgmentSet.objects.exists()
    upload(ann)
    account_delete(user=ann, now=timezone.now())
    assert not JudgmentSet.objects.exists()


def test_judgments_are_of_a_phase_or_a_person(ann: User) -> None:
    phase: Phase = PhaseFactory.create()
    row = {"name": "x", "pairs": [], "judges": 0, "votes": 0, "handed_over_at": timezone.now()}
    for owners in ({}, {"phase": phase, "owner": ann}):
        with pytest.raises(IntegrityError), transaction.atomic():
            JudgmentSet.objects.create(**row, **owners)


def test_wrong_pairs_are_listed_worst_first_with_what_people_said(
    ann: User, measured: JudgmentSet
) -> None:
    found = wrong_pairs(measured, "rouge_l")
    assert found is not None
    assert [pair.clip for pair in found.pairs] == ["rain.wav", "dog.wav", "dog.wav"]
    assert found.kinds == {"Total": 3, "HI": 1, "MM": 2}
    worst, tie = found.pairs[0], found.pairs[2]
    assert (worst.better.caption, worst.worse.caption) == ("an owl", "rain falls on a roof")
    # The same words as a reference, against none of them; spread over 4 pairs, one of them tied.
    assert worst.difference == 1.0
    right = judged_preferences(measured).differences["rouge_l"]
    assert worst.spreads == pytest.approx(1 / (sum(right**2) / 4) ** 0.5)
    assert worst.votes == {"better": 2, "worse": 0, "alike": 1}
    assert (tie.difference, tie.spreads, tie.facet) == (0, 0, "HI")
    assert tie.better.references == ("a dog barks", "a dog is barking")


def test_the_page_of_wrong_pairs_escapes_captions_and_leads_to_their_explanation(
    ann: User, measured: JudgmentSet
) -> None:
    address = f"{ADDRESS}{measured.pk}/wrong/rouge_l/"
    page = client_of(ann).get(address).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    shown = text(page.encode())
    for said in ("2 for, 0 against, 1 alike", "tie", "rain falls on a roof", "All pairs: 3"):
        assert said in shown, said
    assert 'name="references" value="rain falls on a roof\nit rains\n"' in page
    few = text(client_of(ann).get(f"{address}?kind=HI").content)
    assert "music plays" in few
    assert "an owl" not in few
    file = client_of(ann).get(f"{address}?csv=1&kind=HI")
    assert file["Content-Disposition"].startswith("attachment")
    rows = file.content.decode().splitlines()
    assert rows[1] == "dog.wav,HI,cats sleep,music plays,1,0,0,0,0"
    assert len(rows) == 2
    assert client_of(ann).get(f"{ADDRESS}{measured.pk}/wrong/none/").status_code == 404
    # A metric that was not measured.
    unknown = client_of(ann).get(f"{ADDRESS}{measured.pk}/wrong/meteor/")
    assert "It is not known which pairs METEOR gets wrong" in text(unknown.content)


def test_what_a_wrong_pair_sends_is_explained(ann: User, measured: JudgmentSet) -> None:
    """The form of a caption is taken by the playground as if it had been typed."""
    found = wrong_pairs(measured, "rouge_l")
    assert found is not None
    side = found.pairs[1].better
    sent = {
        "metric": "rouge_l",
        "caption": side.caption,
        "references": "\r\n".join([*side.references, ""]),
    }
    form = PlaygroundForm(sent)
    assert form.is_valid(), form.errors
    assert (form.texts.caption, form.texts.references) == (HOSTILE, side.references)
