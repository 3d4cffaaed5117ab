"""The wheel that the site offers: of the version that runs, for everyone."""

import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse

import scoring
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database

ADDRESS = f"/earmark-{scoring.__version__}-py3-none-any.whl"


def test_everyone_gets_the_wheel_of_the_version_that_runs(client: Client) -> None:
    response = client.get(ADDRESS)
    assert response.status_code == 200
    assert response["Cache-Control"] == "public, max-age=300"
    assert ADDRESS[1:] in response["Content-Disposition"]
    content = b"".join(response)
    assert int(response["Content-Length"]) == len(content)
    with ZipFile(BytesIO(content)) as wheel:
        assert wheel.testzip() is None
        assert f'__version__ = "{scoring.__version__}"'.encode() in wheel.read(
            "scoring/__init__.py"
        )


@pytest.mark.parametrize("version", ["0.0.0", "..", f"{scoring.__version__}0"])
def test_there_is_no_other_version(client: Client, version: str) -> None:
    assert client.get(f"/earmark-{version}-py3-none-any.whl").status_code == 404


def test_the_pages_say_how_to_install_it(db: None, client: Client) -> None:
    page = client.get(reverse("leaderboard:metrics")).content.decode()
    (address,) = re.findall(r"pip install (\S+)", page)
    assert address.endswith(ADDRESS)
    assert client.get(address.removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_participants_are_led_there(cast: Cast) -> None:
    names = (cast.phase.challenge.slug, cast.phase.slug)
    address = reverse("leaderboard:submission-create", args=names)
    page = cast.client(cast.member).get(address).content.decode()
    assert f'href="{reverse("leaderboard:metrics")}#at-home"' in page
