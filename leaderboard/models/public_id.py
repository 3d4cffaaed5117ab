"""Opaque identifiers for URLs."""

import secrets

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 12


def public_id() -> str:
    """Make an opaque identifier: 12 characters, 59 bits, none easily confused."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
