"""What a site answers to a list of requests: ``python -m tests.data.answers < asked.json``.

Reads and writes lists of {"who", "path"}; answers have "status" and "body" besides: JSON as it
is, of a page the cells of its table rows, of any other text its lines. Runs on the database of
DATABASE_URL. It imports nothing of the project but the settings of the tests, so that it runs
at any commit.
"""

import json
import os
import re
import sys
from html import unescape
from typing import Any


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    json.dump(answers(json.load(sys.stdin)), sys.stdout)


def answers(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ask each of ``asked`` as the person whose user name is ``who`` (None: nobody)."""
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.test.utils import setup_test_environment, teardown_test_environment

    setup_test_environment()
    clients: dict[str | None, Client] = {None: Client()}
    for who in {one["who"] for one in asked} - {None}:
        clients[who] = Client()
        clients[who].force_login(get_user_model().objects.get(username=who))
    told = []
    for one in asked:
        response: Any = clients[one["who"]].get(one["path"])
        parts = response.streaming_content if response.streaming else [response.content]
        body = read(b"".join(parts).decode(), response.get("Content-Type", ""))
        told.append({**one, "status": response.status_code, "body": body})
    teardown_test_environment()
    return told


def read(text: str, content_type: str) -> Any:
    """The part of a response that is compared."""
    if content_type.partition(";")[0] == "application/json":
        return json.loads(text)
    if content_type.partition(";")[0] == "text/html":
        rows = re.findall(r"<tr\b.*?</tr>", text, re.DOTALL)
        return [
            [plain(cell) for cell in re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, re.DOTALL)]
            for row in rows
        ]
    return text.splitlines()


def plain(html: str) -> str:
    """The text of a piece of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html))).strip()


if __name__ == "__main__":
    main()
