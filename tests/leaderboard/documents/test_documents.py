"""The documents are pages of the site, and what they link to is there, too."""

import re

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

from earmark.registry import METRICS, metrics_for
from leaderboard.selectors.documents.document import document_address, document_of, document_paths

LINK = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: document_of(name).html for name in document_paths()}


def test_every_file_is_a_page(client: Client, db: None) -> None:
    files = list(settings.DOCUMENTS_DIR.rglob("*.md"))
    assert len(document_paths()) == len(files) > 40
    for name in ("README", "about", "guides/participating"):
        answer = client.get(document_address(name))
        assert answer.status_code == 200
        assert document_of(name).title in answer.content.decode()


def test_links_lead_to_pages_and_headings_that_exist(pages: dict[str, str]) -> None:
    names = {document_address(name): name for name in pages}
    for name, html in pages.items():
        for link in LINK.findall(html):
            if re.match(r"https?:|mailto:", link):
                continue
            address, _, anchor = link.partition("#")
            if address.startswith("/docs/images/"):
                continue
            target = names[address] if address else name
            assert not anchor or f'id="{anchor}"' in pages[target], f"{name}: {link}"


def test_pictures_are_sent_and_nothing_else_is(client: Client, db: None) -> None:
    answer = client.get("/docs/images/architecture.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert b"<svg" in answer.getvalue()
    for path in ("images/..%2fREADME.md", "../manage.py", "guides/nothing/", "images/x.png"):
        assert client.get(f"/docs/{path}", follow=True).status_code == 404


def test_a_document_is_called_by_its_title_and_names_no_file_that_is_not_here() -> None:
    html = document_of("README").html
    assert '<a href="/docs/guides/participating/">Taking part</a>' in html
    assert "CONTRIBUTING" in html
    assert "CONTRIBUTING.md" not in html


def test_every_metric_leads_to_its_paper_and_its_part_of_the_documents(
    client: Client, db: None
) -> None:
    headings = document_of("reference/metrics").html
    for name, info in METRICS.items():
        content = client.get(f"/metrics/{name}/").content.decode()
        anchor = re.search(r"/docs/reference/metrics/#([\w-]+)", content)
        assert f'href="{info.link}"' in content
        # The example has one candidate for a clip, and no phase that configures a metric.
        assert (anchor is None) is (name not in metrics_for(several=False))
        assert anchor is None or f'id="{anchor[1]}"' in headings


def test_the_contact_is_at_the_foot_where_there_is_one(
    client: Client, db: None, settings: Settings
) -> None:
    assert ">Contact</a>" not in client.get("/").content.decode()
    settings.SITE_CONTACT = "mailto:people@example.org"
    foot = client.get("/docs/").content.decode().partition("<footer")[2]
    assert '<a href="mailto:people@example.org">Contact</a>' in foot
