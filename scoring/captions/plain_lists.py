"""Captions and references given as plain lists: checked whole, then made into corpora."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

from scoring.captions.corpus import Candidates, References
from scoring.errors import UnusableInput

# What people give: one caption for each clip, or its ranked candidates, best first.
GivenCaptions = Sequence[str] | Sequence[Sequence[str]]
GivenReferences = Sequence[Sequence[str]]

_SHOWN = 60
_ONE_CAPTION = 'a list with one caption for each clip, such as ["a dog barks", "rain falls"]'
_ALL_REFERENCES = (
    "a list that has for each clip a list of reference captions, such as"
    ' [["A dog barks.", "A dog is barking."], ["It rains."]]'
)
_OF_A_CLIP = 'a list of the reference captions of the clip, such as ["A dog barks."]'


def candidates_from(captions: GivenCaptions, called: str = "captions") -> Candidates:
    """Candidates from one text for each clip, or from a list of ranked texts; checked.

    Errors name the captions as they are ``called``. Raises ``UnusableInput``, before any work. An
    empty caption is no error: every metric says what it is worth.

    >>> candidates_from(["a dog barks", ["rain falls", "it rains"]]).captions
    (('a dog barks',), ('rain falls', 'it rains'))
    """
    rows = _listed(captions, called, _ONE_CAPTION)
    ranked = tuple(
        (row,) if isinstance(row, str) else tuple(_listed(row, f"{called}[{place}]", "a text"))
        for place, row in enumerate(rows)
    )
    for place, texts in enumerate(ranked):
        many = not isinstance(rows[place], str)
        _check_texts(texts, f"{called}[{place}]", many=many)
    _check_characters(ranked, called)
    return Candidates(ranked)


def references_from(references: GivenReferences, names: Iterable[str] | None = None) -> References:
    """References from a list of texts for each clip; checked.

    ``names`` are the clips' names, "0", "1" and so on unless given. Raises ``UnusableInput``.

    >>> references_from([["A dog barks."], ["It rains."]]).file_names
    ('0', '1')
    """
    rows = _listed(references, "references", _ALL_REFERENCES)
    texts = tuple(
        tuple(_listed(row, f"references[{place}]", _OF_A_CLIP)) for place, row in enumerate(rows)
    )
    for place, row in enumerate(texts):
        _check_texts(row, f"references[{place}]", many=True)
    _check_characters(texts, "references")
    named = map(str, range(len(texts))) if names is None else names
    return References.build(zip(named, texts, strict=True))


def _listed(given: Any, place: str, wanted: str) -> list[Any]:
    """The items of what should be a list, or the reason why it is none."""
    if isinstance(given, str | bytes):
        raise UnusableInput(f"{place} is one text, {_shown(given)}. Give {wanted}.")
    if isinstance(given, Mapping | AbstractSet):
        kind = type(given).__name__
        raise UnusableInput(f"{place} is a {kind}, whose order says nothing. Give {wanted}.")
    try:
        items = list(given)
    except TypeError as error:
        raise UnusableInput(f"{place} is {_shown(given)}. Give {wanted}.") from error
    if not items:
        raise UnusableInput(f"{place} is empty. Give {wanted}.")
    return items


def _check_texts(texts: Sequence[object], place: str, *, many: bool) -> None:
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            at = f"{place}[{number}]" if many else place
            raise UnusableInput(f"{at} is {_shown(text)}, which is no text. Give a caption.")


def _check_characters(rows: Sequence[tuple[str, ...]], name: str) -> None:
    """Refuse halves of characters, which no model can read; one look where all is well."""
    try:
        "".join(chain.from_iterable(rows)).encode()
    except UnicodeEncodeError as error:
        place, number = next(
            (place, number)
            for place, row in enumerate(rows)
            for number, text in enumerate(row)
            if any("\ud800" <= character <= "\udfff" for character in text)
        )
        raise UnusableInput(
            f"{name}[{place}], text {number + 1}, holds half of a character (a lone surrogate). "
            "Decode the text again, as UTF-8."
        ) from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
