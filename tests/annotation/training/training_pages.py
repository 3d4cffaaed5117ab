"""Asking for the pages of trainings, and what is sent to them."""

from typing import Any

from django.urls import reverse

from leaderboard.models import User
from tests.annotation.conftest import Crew

HOSTILE = "<script>alert(1)</script>"
FORM = {
    "source": "accepted",
    "leave_flagged": "on",
    "name": "my-labeller",
    "method": "lora",
    "batch": "16",
    "seed": "1",
    "held_out": "20",
    "folds": "0",
}
ERROR = {
    "words": ["a", "dog", "barks"],
    "given": ["O", "WHO", "HOW"],
    "found": ["O", "WHAT", "HOW"],
}


def get(crew: Crew, user: User | None, name: str, *more: object, query: str = "") -> Any:
    address = reverse(f"annotation:{name}", args=[crew.project.slug, *more])
    return crew.client(user).get(address + query)


def post(crew: Crew, user: User, name: str, *more: object, data: Any = None) -> Any:
    address = reverse(f"annotation:{name}", args=[crew.project.slug, *more])
    return crew.client(user).post(address, data or {})
