"""The page on which a project is run, and what is sent to it."""

import json
import re
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Member
from leaderboard.models import User
from tests.annotation.conftest import Crew

HOSTILE = "<script>alert(1)</script> & “x”"
SETTINGS = {
    "name": "New name",
    "copies": "3",
    "share": "40",
    "order": "random",
    "guidelines": "*so*",
}


def page(crew: Crew, part: str = "") -> str:
    return f"/annotate/{crew.project.slug}/manage/{part}"


def show(crew: Crew) -> str:
    response = crew.client(crew.manager).get(page(crew))
    assert response.status_code == 200
    return response.content.decode()


def row_of(html: str, member: Member) -> str:
    return html[html.index(f'id="member-{member.pk}"') :].partition("</tr>")[0]


def numbers_in(row: str) -> list[int]:
    return [int(found) for found in re.findall(r'<td class="num">(\d+)</td>', row)]


def post(crew: Crew, part: str, data: dict[str, Any], user: User | None = None) -> Any:
    return crew.client(user or crew.manager).post(page(crew, part), data)


def text_file(*rows: dict[str, Any], name: str = "x.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(json.dumps(row) for row in rows).encode())
