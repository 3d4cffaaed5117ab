"""How tests talk to the API, and what every error must look like."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import User
from leaderboard.services.people.accounts import token_create
from tests.factories import CANDIDATES
from tests.leaderboard.conftest import Cast

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

Response: TypeAlias = "_MonkeyPatchedWSGIResponse"
ROOT = "/api/v1"


@dataclass(frozen=True)
class Caller:
    """Someone who uses the API with a token, or with none."""

    secret: str | None = None

    def get(self, path: str) -> Response:
        """Read."""
        return self._client().get(ROOT + path)

    def post(self, path: str, headers: dict[str, str] | None = None, /, **form: Any) -> Response:
        """Post a form."""
        return self._client().post(ROOT + path, form, headers=headers)

    def send(self, method: str, path: str, value: Any) -> Response:
        """Send JSON."""
        text = json.dumps(value)
        return self._client().generic(
            method.upper(), ROOT + path, text, content_type="application/json"
        )

    def _client(self) -> Client:
        headers = {} if self.secret is None else {"Authorization": f"Bearer {self.secret}"}
        # With a check for CSRF, as in a browser: tokens must not need one.
        return Client(enforce_csrf_checks=True, headers=headers, raise_request_exception=True)


def caller(user: User | None) -> Caller:
    """A caller with a new token of ``user`` (None: nobody)."""
    return Caller() if user is None else Caller(token_create(user=user, name="test")[1])


def file(data: bytes = CANDIDATES, name: str = "candidates.csv") -> SimpleUploadedFile:
    """Wrap bytes as an upload."""
    return SimpleUploadedFile(name, data)


def submissions_path(cast: Cast) -> str:
    """The address that takes submissions."""
    return f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/submissions"


def body(response: Response) -> Any:
    """Read JSON strictly: NaN and Infinity are no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(response.content, parse_constant=refuse)


def problem(response: Response, status: int) -> Any:
    """Check that a response is an error in the one shape; give its JSON."""
    assert response.status_code == status, response.content
    assert response["Content-Type"].startswith("application/json")
    found = body(response)
    assert isinstance(found["detail"], str)
    assert found["detail"].endswith((".", ")", "}"))
    for fault in found.get("faults", ()):
        assert set(fault) == {"line", "column", "value", "message", "severity", "file"}
    return found
