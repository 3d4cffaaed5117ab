"""Fields that several forms have."""

from django import forms


def seed_field(first: int, help_text: str = "") -> forms.IntegerField:
    """A seed, which databases keep as a whole number."""
    return forms.IntegerField(
        label="Seed", min_value=0, max_value=2**31 - 1, initial=first, help_text=help_text
    )
