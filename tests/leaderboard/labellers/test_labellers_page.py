"""Pages and the API of labellers: who sees what, putting to use and back, hostile names."""

import json
from typing import Any

import pytest
from django.test import Client

from annotation.models import Member
from leaderboard.models import AuditEvent, Labeller, LabellerUse, Origin, Rescoring
from leaderboard.selectors.labellers.files import folder_of, shipped_identity
from leaderboard.selectors.labellers.listing import card, kept_labeller
from leaderboard.selectors.labellers.scores import MEASURES
from leaderboard.selectors.labellers.use import identity_in_use
from leaderboard.services.labellers.using import labeller_put_to_use
from tests.annotation.conftest import make_project
from tests.factories import NOW, PhaseFactory, UserFactory
from tests.labellers import SCORES, registered
from tests.leaderboard.conftest import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_labellers")]


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.content[:400]
    return response.content.decode()


def test_a_labeller_tells_all_that_is_known_of_it(publisher: Client, cast: Cast) -> None:
    row = registered(actor=cast.organiser)
    listed = page(publisher, "/labellers/")
    assert listed.index(shipped_identity()) < listed.index(row.identity), "the shipped is first"
    assert listed.count("in use</span>") == 1
    text = page(publisher, f"/labellers/{row.identity}/")
    for told in (row.sha256, f"desc:{row.identity}", "ab" * 32, "lora", "0.646", "held-out"):
        assert told in text
    assert "Which labels are confused" in text
    assert "quillwort" not in text, "captions of the errors are no business of the registry"
    assert page(publisher, f"/labellers/{shipped_identity()}/")
    page(publisher, "/labellers/none@00000000/", 404)
    page(publisher, "/labellers/nothing/", 404)


def test_a_labeller_shows_what_the_page_of_its_training_shows(publisher: Client) -> None:
    """The same measures with their definitions, in the same order; and no captions."""
    scores = json.loads(json.dumps(SCORES))
    then = {"micro": 0.123, "weighted": 0.234, "accuracy": 0.345, "span": 0.456}
    scores["comparison"] = {"identity": "old@12345678", "scores": then, "seen": 7}
    scores["curve"] = [
        {"captions": at, "micro": micro, "weighted": 0.6}
        for at, micro in ((100, 0.5), (200, 0.6), (300, 0.64), (400, 0.66))
    ]
    row = registered(scores=scores)
    text = page(publisher, f"/labellers/{row.identity}/")
    places = [text.index(word) for _, title, about in MEASURES for word in (title, about)]
    assert places == sorted(places)
    assert text.index("In use then") < text.index("0.610") < text.index("0.123")
    assert [text.count(f'id="{name}-data"') for name in ("confusion", "curve")] == [1, 1]
    assert "8 words" not in text, "no cell opens captions"
    assert "models/captions" not in text
    # What more captions would bring is said of what was measured here alone.
    said = "From 200 to 400 captions F1 went from 0.600 to 0.660."
    assert said in text
    assert "8 held-out captions, one draw of them" in text
    Labeller.objects.update(origin=Origin.UPLOADED)
    assert said not in page(publisher, f"/labellers/{row.identity}/")


def test_pages_of_metrics_name_the_one_in_use(publisher: Client, cast: Cast) -> None:
    a = registered()
    assert shipped_identity() in page(cast.client(None), "/metrics/try/")
    labeller_put_to_use(labeller=a, reason="", actor=None, now=NOW)
    for address in ("/metrics/aces/", "/metrics/try/"):
        text = page(cast.client(None), address)
        assert a.identity in text
        assert "/labellers/" not in text, "who may not see labellers is led to none"
    assert f"/labellers/{a.identity}/" in page(publisher, "/metrics/aces/")


def test_what_was_sent_in_is_told_as_said_and_not_as_measured(publisher: Client) -> None:
    """Until a training of this site makes the very same one and measures it."""
    lies = json.loads(json.dumps(SCORES))
    lies["inventories"]["aces-13"]["micro"] = 0.99
    a = registered()
    b = registered("other", 2, scores=lies, origin=Origin.UPLOADED)
    said = "training captions in the report were not checked on this site"
    assert said in page(publisher, f"/labellers/{b.identity}/")
    assert said not in page(publisher, f"/labellers/{a.identity}/")
    kept = kept_labeller(b.identity)
    assert kept is not None
    assert "As its maker says" in card(kept)
    again = registered("other", 2, origin=Origin.UPLOADED)
    assert again.scores["inventories"]["aces-13"]["micro"] == 0.99
    measured = registered("other", 2, data_hash="cd" * 32)
    assert measured.pk == b.pk
    assert (measured.origin, measured.data_hash) == (Origin.TRAINED, "cd" * 32)
    stored = json.loads((folder_of(b.sha256) / "report.json").read_text())
    for told in (stored, measured.scores):
        assert told["inventories"]["aces-13"]["micro"] == 0.61
    assert AuditEvent.objects.filter(action="labeller.measure").count() == 1
    assert said not in page(publisher, f"/labellers/{b.identity}/")


def test_put_to_use_and_offered_a_dry_run_then_rolled_back(publisher: Client, cast: Cast) -> None:
    row = registered()
    use = f"/labellers/{row.identity}/?act=use"
    assert "replaces" in page(publisher, use)
    assert publisher.post(use, {"seen": shipped_identity()}).status_code == 422
    answer = publisher.post(use, {"reason": "Knows rain", "seen": shipped_identity()})
    assert answer["Location"] == "/labellers/"
    assert identity_in_use() == row.identity
    # Who acts on an old page is told.
    other = registered("other", 2).identity
    seen = {"reason": "a", "seen": shipped_identity()}
    late = publisher.post(f"/labellers/{other}/?act=use", seen)
    assert (late.status_code, row.identity in late.content.decode()) == (409, True)
    publisher.post("/labellers/?act=roll_back", {"seen": other})
    assert identity_in_use() == row.identity, "that is not what is in use"
    offers = page(publisher, "/labellers/")
    assert cast.phase.name in offers
    assert "Start a dry run" in offers
    phase = cast.phase
    begin = f"/manage/{phase.challenge.slug}/{phase.slug}/rescoring/"
    assert begin in offers
    assert publisher.post(begin, {"act": "labeller", "labeller": row.identity}).status_code == 302
    assert Rescoring.objects.get().parameters == {"aces": {"labeller": row.identity}}
    assert "Dry run under way" in page(publisher, "/labellers/")
    back = publisher.post("/labellers/?act=roll_back", {"seen": row.identity})
    assert back["Location"] == "/labellers/"
    assert identity_in_use() == shipped_identity()
    assert [use.reason for use in LabellerUse.objects.order_by("pk")] == [
        "Knows rain",
        f"Rolled back from {row.identity}",
    ]


def test_who_only_looks_gets_no_buttons_and_is_refused(cast: Cast) -> None:
    """Organisers of any challenge and managers of labelling projects look; nobody else."""
    row = registered()
    manager, annotator = UserFactory.create_batch(2)
    Member.objects.create(project=make_project(manager), user=annotator, role="annotator")
    for user in (cast.organiser, manager):
        client = cast.client(user)
        text = page(client, f"/labellers/{row.identity}/")
        assert "Put into use" not in text
        assert "Delete" not in text
        assert client.post(f"/labellers/{row.identity}/?act=use").status_code == 403
    for address in ("", f"{row.identity}/"):
        page(cast.client(annotator), f"/labellers/{address}", 404)
    assert not LabellerUse.objects.exists()


HOSTILE = "<script>alert(1)</script>\"'&{{ 7 }}"


def test_hostile_names_and_reports_are_text(publisher: Client, cast: Cast) -> None:
    """A report may come from anywhere."""
    scores: dict[str, Any] = json.loads(json.dumps(SCORES))
    scores["inventories"] = {HOSTILE: {**scores["inventories"]["aces-13"], "micro": 0.5}}
    scores["inventories"][HOSTILE]["confusion"] = {"labels": [HOSTILE], "counts": [[1]]}
    row = registered(name=HOSTILE, note=HOSTILE, recipe={HOSTILE: HOSTILE}, scores=scores)
    publisher.post(
        f"/labellers/{row.identity}/?act=use", {"reason": HOSTILE, "seen": shipped_identity()}
    )
    for address in ("", f"{row.identity}/"):
        text = page(publisher, f"/labellers/{address}")
        assert "<script>alert" not in text
        assert HOSTILE.replace("<", "&lt;").split("&lt;/")[0].replace(">", "&gt;") in text


def test_a_report_of_another_shape_breaks_no_page(publisher: Client) -> None:
    row = registered()
    shapes: list[Any] = [
        {"inventories": []},
        {"inventories": {"a": {"micro": "high", "labels": [], "confusion": 3}}},
        {"inventories": {"a": {"micro": 5}}, "folds": {"a": {"micro": True}}},
        {"inventories": {"a": {"micro": 0.5, "labels": {"WHAT": 7}, "captions": -1}}, "curve": 8},
        {
            "inventories": {
                "a": {"micro": 0.5, "confusion": {"labels": ["a"], "counts": [[1, 2]]}}
            },
            "curve": [{"captions": "x"}, 3],
        },
        {"micro": 0.5, "labels": None},
    ]
    for scores in shapes:
        Labeller.objects.filter(pk=row.pk).update(scores=scores)
        for address in ("", f"{row.identity}/"):
            page(publisher, f"/labellers/{address}")


def test_tampered_files_are_told_on_every_page(publisher: Client, cast: Cast) -> None:
    row = registered()
    publisher.post(
        f"/labellers/{row.identity}/?act=use", {"reason": "a", "seen": shipped_identity()}
    )
    weights = folder_of(row.sha256) / "model.safetensors"
    weights.chmod(0o644)
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    for address in ("", f"{row.identity}/"):
        assert "changed since they were stored" in page(publisher, f"/labellers/{address}")
    phase = cast.phase
    begin = f"/manage/{phase.challenge.slug}/{phase.slug}/rescoring/"
    told = publisher.post(begin, {"act": "labeller", "labeller": row.identity}, follow=True)
    assert "not as they were stored" in told.content.decode()
    assert not Rescoring.objects.exists()
    assert publisher.get("/metrics/aces/").status_code == 200
    assert "not as they were stored" in page(publisher, "/metrics/aces/")


def test_a_dry_run_may_be_begun_with_any_that_is_kept_and_with_nothing_else(
    publisher: Client, cast: Cast
) -> None:
    row, phase = registered(), cast.phase
    address = f"/manage/{phase.challenge.slug}/{phase.slug}/rescoring/"
    text = page(publisher, address)
    assert f'value="{row.identity}"' in text
    assert str(folder_of(row.sha256).parent) not in text, "no place of the server is told"
    for other in ("/etc", str(folder_of(row.sha256)), "none@00000000"):
        answer = publisher.post(address, {"aces": "on", "aces__labeller": other, "reason": "a"})
        assert answer.status_code == 422
        told = publisher.post(address, {"act": "labeller", "labeller": other}, follow=True)
        assert "Choose a labeller that is kept here" in told.content.decode()
    assert not Rescoring.objects.exists()
    chosen = {"aces__labeller": row.identity, "aces__mode": "combined", "aces__beta": "9"}
    chosen |= {"aces__fluency": "earmark", "aces__threshold": "0.9", "aces__penalty": "0.5"}
    publisher.post(address, {"aces": "on", "reason": "a", **chosen})
    assert Rescoring.objects.get().parameters["aces"]["labeller"] == row.identity


def test_phases_of_others_are_no_business_of_the_publisher(publisher: Client, cast: Cast) -> None:
    row = registered()
    other = PhaseFactory.create(challenge__published=False, name="Secret phase")
    other.parameters = {"aces": {"labeller": row.identity}}
    other.save()
    assert "Secret phase" not in page(publisher, f"/labellers/{row.identity}/")
    assert "Secret phase" not in page(publisher, "/labellers/")
    begin = f"/manage/{other.challenge.slug}/{other.slug}/rescoring/"
    assert publisher.post(begin, {"act": "labeller", "labeller": row.identity}).status_code == 404
    delete = f"/labellers/{row.identity}/?act=delete"
    assert publisher.post(delete)["Location"] == f"/labellers/{row.identity}/"
    assert Labeller.objects.filter(pk=row.pk).exists()
    other.parameters = {}
    other.save()
    assert publisher.post(delete)["Location"] == "/labellers/", "nothing needs it"
    assert not Labeller.objects.exists()
