"""Words of a text, as Prodigy writes them."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language


@lru_cache(maxsize=1)
def _english() -> "Language":
    import spacy

    return spacy.blank("en")


def tokenized(text: str) -> list[dict[str, Any]]:
    """Split a text as Prodigy does where a record has no tokens.

    Offsets count code points, ``end`` is exclusive; white space alone is no token.

    >>> [token["text"] for token in tokenized("A dog's bark, twice.")]
    ['A', 'dog', "'s", 'bark', ',', 'twice', '.']
    """
    words = [word for word in _english()(text) if not word.is_space]
    return [
        {
            "text": word.text,
            "start": word.idx,
            "end": word.idx + len(word.text),
            "id": number,
            "ws": text[word.idx + len(word.text) : word.idx + len(word.text) + 1].isspace(),
        }
        for number, word in enumerate(words)
    ]
