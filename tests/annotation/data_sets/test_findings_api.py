"""What pages of data sets do, the API does too: dismissing all alike, editing any caption."""

from typing import Any

from annotation.models import CaptionDecision, CaptionFinding, Verdict
from tests.annotation.data_sets.conftest import Desk, captions_put
from tests.annotation.data_sets.findings import checked


def post(desk: Desk, path: str, body: dict[str, Any], user: Any = None) -> Any:
    client = desk.client(user or desk.owner)
    address = f"/api/v1/data-sets/{desk.data_set.slug}/{path}"
    return client.post(address, body, content_type="application/json")


def test_every_open_finding_of_a_kind_and_text_is_dismissed(desk: Desk) -> None:
    captions_put(desk.data_set, {"more.wav": ("continous rain on a tin roof in the night",)}, 2)
    checked(desk)
    misspelt = CaptionFinding.objects.filter(kind="spelling", text__iexact="continous")
    others = CaptionFinding.objects.exclude(pk__in=misspelt).filter(verdict=Verdict.OPEN).count()
    assert misspelt.count() == 2
    other = post(desk, "findings/dismiss", {"kind": "name", "text": "Continous"})
    assert other.json() == {"dismissed": 0}
    told = post(desk, "findings/dismiss", {"kind": "spelling", "text": "Continous"})
    assert (told.status_code, told.json()) == (200, {"dismissed": 2})
    assert set(misspelt.values_list("verdict", flat=True)) == {Verdict.DISMISSED}
    assert CaptionFinding.objects.filter(verdict=Verdict.OPEN).count() == others
    assert CaptionDecision.objects.filter(by=desk.owner).count() == 2
    again = post(desk, "findings/dismiss", {"kind": "spelling", "text": "Continous"})
    assert again.json() == {"dismissed": 0}
    wrong = post(desk, "findings/dismiss", {"kind": "smelling", "text": "x"})
    assert wrong.status_code == 422
    assert "is not a kind of finding" in wrong.json()["detail"]
    assert (
        post(desk, "findings/dismiss", {"kind": "name", "text": "x"}, desk.outsider).status_code
        == 404
    )


def test_a_caption_in_which_nothing_was_found_is_edited(desk: Desk) -> None:
    client = desk.client(desk.owner)
    address = f"/api/v1/data-sets/{desk.data_set.slug}/captions"
    listed = client.get(address, {"file_name": "dog.wav"}).json()
    assert (listed["total"], [row["number"] for row in listed["captions"]]) == (2, [1, 2])
    assert client.get(address).json()["total"] == 4
    row = listed["captions"][0]
    body = {"text": "A dog barks three times in the distance", "seen": row["seen"]}
    told = post(desk, f"captions/{row['id']}", body)
    assert told.status_code == 200
    assert (told.json()["text"], told.json()["original"]) == (body["text"], row["original"])
    assert desk.caption("dog.wav").text == body["text"]
    # Whoever looked at it before is told so, and nothing is lost.
    late = post(desk, f"captions/{row['id']}", {**body, "text": "a dog barks once far away"})
    assert late.status_code == 409
    assert "changed the caption in the meantime" in late.json()["detail"]
    empty = post(desk, f"captions/{row['id']}", {"text": " ", "seen": told.json()["seen"]})
    assert empty.status_code == 422
    for user in (desk.annotator, desk.outsider):
        assert post(desk, f"captions/{row['id']}", body, user).status_code == 404
        assert desk.client(user).get(address).status_code == 404
