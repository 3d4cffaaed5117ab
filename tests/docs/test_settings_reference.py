"""docs/reference/settings.md names every variable that is read, and no other."""

import re

from tests.docs.source_tree import ROOT

READ_IN = ("leaderboard/settings.py", "gunicorn.conf.py")
OF_THE_CLIENT = {"EARMARK_URL", "EARMARK_TOKEN"}
# What Python, Django or torch read; an installation does not set it.
FIXED = {"DJANGO_SETTINGS_MODULE", "OMP_WAIT_POLICY"}


def test_every_variable_is_in_the_reference() -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in READ_IN]
    reading = r"(?:\benv\.\w+|environ\.get|environ\.setdefault)\(\s*['\"]([A-Z_]+)['\"]"
    read = {name for text in texts for name in re.findall(reading, text)} - FIXED
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
    assert len(read) > 40
    assert told == read
    assert set(re.findall(r"`(EARMARK_[A-Z_]+)`", page)) <= read | OF_THE_CLIENT
