"""What of metadata is for everyone: nothing of people, whose names and addresses are theirs."""

from typing import Any

PRIVATE = {"authors", "author", "email", "e-mail", "phone", "corresponding"}


def without_people(value: Any) -> Any:
    """Give stored metadata without authors, addresses and telephone numbers at any depth."""
    if isinstance(value, dict):
        return {
            key: without_people(inner)
            for key, inner in value.items()
            if str(key).strip().lower() not in PRIVATE
        }
    if isinstance(value, list):
        return [without_people(inner) for inner in value]
    return value
