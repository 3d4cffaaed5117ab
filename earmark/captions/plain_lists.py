"""Captions and references given as lists, mappings or tables of pandas: checked, then corpora."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from earmark.captions.corpus import Candidates, References
from earmark.errors import UnusableInput


class RowsByClip(Protocol):
    """A mapping from the names of clips, or a Series or DataFrame of pandas."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Each name with what it stands for."""
        ...


# What people give: one caption for each clip, or its ranked candidates, best first.
GivenCaptions = Sequence[str] | Sequence[Sequence[str]] | RowsByClip
GivenReferences = Sequence[Sequence[str]] | RowsByClip

_SHOWN = 60
_ONE_CAPTION = 'a list with one caption for each clip, such as ["a dog barks", "rain falls"]'
_ALL_REFERENCES = (
    "a list that has for each clip a list of reference captions, such as"
    ' [["A dog barks.", "A dog is barking."], ["It rains."]]'
)
_OF_A_CLIP = 'a list of the reference captions of the clip, such as ["A dog barks."]'


def candidates_from(
    captions: GivenCaptions, called: str = "captions", *, names: Sequence[str] | None = None
) -> Candidates:
    """Candidates from a text for each clip, or from a list of ranked texts; checked.

    Those given by the names of clips are put into the order of ``names``, which are those of the
    references. Errors name the captions as they are ``called``. Raises ``UnusableInput``, before
    any work. An empty caption is no error: every metric says what it is worth.

    >>> candidates_from(["a dog barks", ["rain falls", "it rains"]]).captions
    (('a dog barks',), ('rain falls', 'it rains'))
    >>> candidates_from({"b.wav": "rain", "a.wav": "a dog"}, names=["a.wav", "b.wav"]).first
    ('a dog', 'rain')
    """
    own, rows = _rows(captions, called, _ONE_CAPTION)
    if own is not None and names is not None:
        own, rows = names, _in_order(dict(zip(own, rows, strict=True)), names, called)
    places = [f"{called}[{key!r}]" for key in own or range(len(rows))]
    ranked = tuple(
        (row,) if isinstance(row, str) else tuple(_listed(row, place, "a text"))
        for place, row in zip(places, rows, strict=True)
    )
    for place, row, texts in zip(places, rows, ranked, strict=True):
        _check_texts(texts, place, many=not isinstance(row, str))
    return Candidates(ranked)


def references_from(references: GivenReferences, names: Iterable[str] | None = None) -> References:
    """References from a list of texts for each clip; checked.

    ``names`` are the clips' names: unless given those of the mapping or of the table, else "0",
    "1" and so on. Raises ``UnusableInput``.

    >>> references_from([["A dog barks."], ["It rains."]]).file_names
    ('0', '1')
    >>> references_from({"a.wav": ["A dog barks."]}).file_names
    ('a.wav',)
    """
    own, rows = _rows(references, "references", _ALL_REFERENCES)
    places = [f"references[{key!r}]" for key in own or range(len(rows))]
    texts = [
        tuple(_listed(row, place, _OF_A_CLIP)) for place, row in zip(places, rows, strict=True)
    ]
    for place, row in zip(places, texts, strict=True):
        _check_texts(row, place, many=True)
    named = own or map(str, range(len(texts))) if names is None else names
    return References.build(zip(named, texts, strict=True))


def _rows(given: Any, called: str, wanted: str) -> tuple[Sequence[str] | None, list[Any]]:
    """What is given for each clip, and the clips' names where they are given."""
    if not hasattr(given, "items"):
        return None, _listed(given, called, wanted)
    pairs = _table_rows(given) if hasattr(given, "columns") else [*given.items()]
    keys, rows = [key for key, _ in pairs], _listed([row for _, row in pairs], called, wanted)
    # Rows of pandas that nobody has named are numbered.
    if keys == [*range(len(keys))]:
        return None, rows
    names = [*map(str, keys)]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise UnusableInput(
            f"{called} names a clip more than once: {_first(twice)}. Name each clip once."
        )
    return names, rows


def _table_rows(table: Any) -> list[tuple[Any, list[Any]]]:
    """Name and texts of each row of a DataFrame; cells without text (NaN) are left out."""
    columns = [name for name in table.columns if name != "file_name"]
    captions = [name for name in columns if str(name).startswith("caption")] or columns
    keys = table["file_name"] if "file_name" in table.columns else table.index
    cells = zip(*(table[name] for name in captions), strict=True)
    return [
        (key, [cell for cell in row if isinstance(cell, str) and cell.strip()])
        for key, row in zip(keys, cells, strict=True)
    ]


def _in_order(given: Mapping[str, Any], names: Sequence[str], called: str) -> list[Any]:
    """What is given by names in their order; raises ``UnusableInput`` for others, or too few."""
    known = {*names}
    missing = [name for name in names if name not in given]
    surplus = [name for name in given if name not in known]
    told = [f"{called} lacks {_first(missing)}"] * bool(missing)
    told += [f"the references lack {_first(surplus)}"] * bool(surplus)
    if told:
        raise UnusableInput(
            f"{called} and references have different clips: {', and '.join(told)}. Give captions "
            "under the names that the references have."
        )
    return [given[name] for name in names]


def _first(names: Sequence[str]) -> str:
    """The first three of some names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more


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
    """Refuse what is no text, and halves of characters, which no model can read."""
    for number, text in enumerate(texts):
        at = f"{place}[{number}]" if many else place
        if not isinstance(text, str):
            raise UnusableInput(f"{at} is {_shown(text)}, which is no text. Give a caption.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UnusableInput(
                f"{at} holds half of a character (a lone surrogate). Decode it again, as UTF-8."
            ) from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
