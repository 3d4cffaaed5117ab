"""The pages on which a project is managed, and what is sent to them."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.models import User
from tests.annotation.conftest import Crew

HOSTILE = "<script>alert(1)</script> & “x”"
SETTINGS = {
    "name": "New name",
    "copies": "3",
    "share": "40",
    "order": "random",
    "suggestion_threshold": "65",
    "guidelines": "*so*",
}


def page(crew: Crew, part: str = "") -> str:
    return f"/annotate/{crew.project.slug}/manage/{part}"


def show(crew: Crew, part: str = "") -> str:
    response = crew.client(crew.manager).get(page(crew, part))
    assert response.status_code == 200
    return response.content.decode()


def post(crew: Crew, part: str, data: dict[str, Any], user: User | None = None) -> Any:
    return crew.client(user or crew.manager).post(page(crew, part), data)


def bring(crew: Crew, *rows: dict[str, Any], **form: Any) -> Any:
    """Choose a file on the page, and import it as its own page shows it."""
    waiting = post(crew, "captions/", {"file": text_file(*rows)} | form)
    assert waiting.status_code == 302, waiting.content.decode()
    said = {"map_from": form.get("map_from", "")}
    return crew.client(crew.manager).post(waiting["Location"], {"import": "yes", **said})


def text_file(*rows: dict[str, Any], name: str = "x.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(json.dumps(row) for row in rows).encode())
