"""The form of a scheme as a browser sends it."""

from html.parser import HTMLParser

from django.http import HttpResponse

from leaderboard.models import User
from tests.annotation.conftest import Crew


class _Fields(HTMLParser):
    """What the fields of a page's form of a scheme hold."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._text = self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {key: value or "" for key, value in attrs}
        name = told.get("name", "")
        if tag == "select":
            self._select = name
        if tag == "option" and (self._select not in self.values or "selected" in told):
            self.values[self._select] = told["value"]
        if tag == "input" and (told.get("type") != "radio" or "checked" in told):
            self.values[name] = told.get("value", "")
        if tag == "textarea":
            self._text, self.values[name] = name, ""

    def handle_data(self, data: str) -> None:
        if self._text:
            self.values[self._text] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._text = ""
        if tag == "select":
            self._select = ""


def fields_of(page: bytes) -> dict[str, str]:
    """The fields of a page by name, without those that other forms have."""
    reader = _Fields()
    reader.feed(page.decode())
    known = {"title", "summary", "base", "rows", "restores", "asks_again"}
    return {
        name: value
        for name, value in reader.values.items()
        if name in known or name.startswith("label-")
    }


class SchemePage:
    """The page of a crew's scheme in the browser of one person."""

    def __init__(self, crew: Crew, user: User | None = None) -> None:
        self.crew = crew
        self.client = crew.client(user or crew.manager)
        self.path = f"/annotate/{crew.project.slug}/scheme/"

    def fields(self, query: str = "") -> dict[str, str]:
        """What the form holds."""
        return fields_of(self.client.get(self.path + query).content)

    def add(self, name: str, title: str) -> dict[str, str]:
        """The fields of a new label, with how many there are then."""
        rows = int(self.fields()["rows"])
        told = {"name": name, "title": title, "place": str(rows + 1), "tone": "1"}
        return {f"label-{rows}-{key}": value for key, value in told.items()} | {
            "rows": str(rows + 1)
        }

    def send(self, act: str = "publish", **changed: str) -> HttpResponse:
        """Send the form as it is but for these fields, ``__`` for "-"."""
        changes = {name.replace("__", "-"): value for name, value in changed.items()}
        return self.client.post(self.path, self.fields() | changes | {act: "yes"})  # type: ignore[return-value]

    def publish(self, **changed: str) -> None:
        """Make a version, which must succeed."""
        response = self.send("publish", **changed)
        assert response.status_code == 302, response.content.decode()
        self.crew.project.refresh_from_db()

    def row(self, name: str) -> str:
        """The beginning of the fields of a label."""
        fields = self.fields()
        return next(key for key, value in fields.items() if key.endswith("-was") and value == name)[
            : -len("was")
        ]
