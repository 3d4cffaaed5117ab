"""spaCy's DocBin: documents with spans, for ``spacy train``."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from annotation.formats.export_rows import ExportRow, meta_in_order, winners

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

# The key under which spaCy's span categoriser looks for spans.
SPANS_KEY = "sc"
PIECE = 65536


def write(works: Iterable[ExportRow]) -> Iterator[bytes]:
    """Write all works as one DocBin, read with ``DocBin(store_user_data=True)``.

    Its text is packed as a whole, so it is made before the first piece is given.
    """
    from spacy.lang.en import English
    from spacy.tokens import DocBin
    from spacy.vocab import create_vocab

    # The one of ``spacy.blank("en")``, without the rules by which that cuts text into words.
    vocab = create_vocab("en", English.Defaults)
    packed = DocBin(store_user_data=True)
    for work in works:
        packed.add(document(work, vocab))
    data = packed.to_bytes()
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]


def document(work: ExportRow, vocab: "Vocab") -> "Doc":
    """Make a document whose text is the caption's, character for character.

    All spans stand in ``doc.spans["sc"]``; ``doc.ents`` has those words of each
    that no later span covers, as entities cannot overlap. White space beyond one
    space becomes a word of its own, as spaCy has it.
    """
    from spacy.tokens import Doc, Span

    words, spaces, places = with_gaps(work)
    doc = Doc(vocab, words=words, spaces=spaces)
    doc.user_data["annotator"] = work.annotator
    doc.user_data["answer"] = work.answer
    doc.user_data["meta"] = json.loads(json.dumps(meta_in_order(work)), parse_int=_packable)
    doc.spans[SPANS_KEY] = [
        Span(doc, places[span["token_start"]], places[span["token_end"]] + 1, label=span["label"])
        for span in work.spans
    ]
    doc.ents = [
        Span(doc, places[first], places[last] + 1, label=work.spans[number]["label"])
        for first, last, number in _runs(winners(work.spans, len(work.tokens)))
    ]
    return doc


def _packable(digits: str) -> int | str:
    """A whole number that the format can hold, else its digits."""
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else digits


def with_gaps(work: ExportRow) -> tuple[list[str], list[bool], list[int]]:
    """Words that make up the whole text, whether a space follows, and each token's place."""
    words: list[str] = []
    spaces: list[bool] = []
    places: list[int] = []
    at = 0
    for token in work.tokens:
        _fill(work.text[at : int(token["start"])], words, spaces)
        places.append(len(words))
        words.append(str(token["text"]))
        spaces.append(False)
        at = int(token["end"])
    _fill(work.text[at:], words, spaces)
    return words, spaces, places


def _fill(gap: str, words: list[str], spaces: list[bool]) -> None:
    if words and gap.startswith(" "):
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)


def _runs(numbers: Sequence[int | None]) -> Iterator[tuple[int, int, int]]:
    """First word, last word and number of each run of words with the same span."""
    first = 0
    for word, number in enumerate(numbers):
        if word + 1 == len(numbers) or numbers[word + 1] != number:
            if number is not None:
                yield first, word, number
            first = word + 1
