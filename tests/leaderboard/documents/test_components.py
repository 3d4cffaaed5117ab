"""The page of components shows every one that the style sheet has, and only to who builds."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

pytestmark = [
    pytest.mark.django_db,
]

SHEET = Path(settings.BASE_DIR) / "static/css/components.css"
CLASS = re.compile(r"\.([a-z][\w-]*)")


def classes_of_components() -> set[str]:
    rules = re.sub(r"/\*.*?\*/", "", SHEET.read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = (text for text in re.findall(r"([^{}]+)\{", rules) if "@" not in text)
    return {name for selector in selectors for name in CLASS.findall(selector)}


def test_every_component_has_an_example(client: Client, settings: Settings) -> None:
    settings.DEBUG = True
    page = client.get("/styleguide/").content.decode()
    shown = {name for found in re.findall(r'class="([^"]+)"', page) for name in found.split()}
    assert len(classes_of_components()) > 50
    assert classes_of_components() - shown == set()


def test_a_site_that_runs_has_no_such_page(client: Client) -> None:
    assert client.get("/styleguide/").status_code == 404
