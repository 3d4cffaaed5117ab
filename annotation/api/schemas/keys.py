"""The keys of the labelling page."""

from typing import Annotated
from unicodedata import category

from ninja import Schema
from pydantic import AfterValidator, Field, StringConstraints


def _visible(key: str) -> str:
    """Refuse what no key types, or what Earmark itself gives to labels in their order."""
    if category(key) in {"Cc", "Cf", "Cs", "Co", "Cn"}:
        raise ValueError("A key is a character that can be seen, or space.")
    if key.isdigit():
        raise ValueError("Digits belong to the labels in their order. Choose another key.")
    return key


Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=1), AfterValidator(_visible)]


class KeysOut(Schema):
    """The keys that you changed for the scheme of a project, on whatever machine."""

    keys: dict[str, str] = Field(
        description='By what they do: a command such as "accept", or "label:" and its name.'
    )


class KeysIn(Schema):
    """All keys that differ from those of the scheme; none brings those back."""

    keys: dict[Name, Key | Annotated[str, StringConstraints(max_length=0)]] = Field(
        max_length=200, description='By what they do; "" for none.'
    )
