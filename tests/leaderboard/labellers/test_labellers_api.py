"""Labellers through the API: the same people, the same rules, the same words."""

import pytest
from django.core.management import call_command

from leaderboard.models import LabellerUse
from leaderboard.selectors.labellers.files import shipped_identity
from leaderboard.selectors.labellers.use import identity_in_use
from tests.labellers import registered
from tests.leaderboard.api_client import Caller, body, caller, problem
from tests.leaderboard.conftest import Cast

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_labellers"),
]


@pytest.fixture
def publisher(cast: Cast) -> Caller:
    call_command("allow_labellers", cast.organiser.username)
    return caller(cast.organiser)


def test_the_whole_way(publisher: Caller, cast: Cast) -> None:
    """Read, put to use, rolled back, deleted."""
    row, shipped = registered(), shipped_identity()
    listed = body(publisher.get("/labellers"))
    assert [one["identity"] for one in listed] == [shipped, row.identity]
    assert [one["in_use"] for one in listed] == [True, False]
    told = body(publisher.get(f"/labellers/{row.identity}"))
    assert told["scores"]["micro"] == 0.61
    assert told["recipe"]["method"] == "lora"
    assert told["fault"] == ""
    assert "quillwort" not in str(told)
    use = f"/labellers/{row.identity}/use"
    late = problem(publisher.send("post", use, {"reason": "a", "seen": "b@00000000"}), 409)
    assert shipped in late["detail"]
    assert body(publisher.send("post", use, {"reason": "a", "seen": shipped}))["in_use"]
    assert identity_in_use() == row.identity
    problem(publisher.send("post", use, {"reason": "a"}), 409)
    problem(publisher.send("delete", f"/labellers/{row.identity}", {}), 409)
    back = publisher.send("post", "/labellers/roll-back", {"seen": row.identity})
    assert body(back)["identity"] == shipped
    assert LabellerUse.objects.count() == 2
    other = registered("other", 2)
    assert publisher.send("delete", f"/labellers/{other.identity}", {}).status_code == 204
    problem(publisher.get(f"/labellers/{other.identity}"), 404)
