"""Words that one clip of the set has and no other, in any form."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption
from earmark.datasets.findings.dictionary import is_english
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.words import with_case_of, word_key
from earmark.text.placed_parse import PlacedToken
from earmark.text.porter2 import stem
from earmark.text.wordnet import Pos, load_wordnet

_PARTS_OF_SPEECH: dict[str, Pos | None] = {"NN": "n", "VB": "v", "JJ": None, "RB": None}
_SENSES = 4
_MOST_SUGGESTIONS = 5


@dataclass
class _Vocabulary:
    """Which clips have a lemma and a stem (the first one; None for several), and in which form."""

    clips: dict[str, str | None] = field(default_factory=dict)
    forms: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    captions: Counter[str] = field(default_factory=Counter)

    def add(self, key: str, clip: str) -> None:
        known = self.clips.setdefault(key, clip)
        if known != clip:
            self.clips[key] = None

    def only_in(self, key: str, clip: str) -> bool:
        return self.clips.get(key, clip) == clip


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """Nouns, verbs, adjectives and adverbs that are in no other clip; names and slips are not."""
    vocabulary = captions.once("rare_word", "", lambda: _read(captions))
    clip = caption.file_name
    for token in captions.parse(caption).tokens:
        key = word_key(token.word)
        if not key.isalpha() or not _counted(token) or not is_english(key):
            continue
        if vocabulary.only_in(token.lemma, clip) and vocabulary.only_in(_stem(key), clip):
            yield FoundPlace(token.start, token.end, _synonyms(token, vocabulary))


def _counted(token: PlacedToken) -> bool:
    named = token.tag.startswith("NNP")
    return len(token.word) > 1 and token.tag[:2] in _PARTS_OF_SPEECH and not named


def _stem(key: str) -> str:
    """What forms of a word share; marked, so that no lemma is taken for it."""
    return f"{stem(key)}\0"


def _read(captions: CheckedCaptions) -> _Vocabulary:
    vocabulary = _Vocabulary()
    for caption, parse in zip(captions.captions, captions.parse_all(), strict=True):
        for token in parse.tokens:
            key = word_key(token.word)
            for name in (token.lemma, _stem(key)):
                vocabulary.add(name, caption.file_name)
            vocabulary.forms[token.lemma, token.tag][key] += 1
            vocabulary.captions[token.lemma] += 1
    return vocabulary


def _synonyms(token: PlacedToken, vocabulary: _Vocabulary) -> tuple[str, ...]:
    """Lemmas of the word's senses that the set has elsewhere, in its form, frequent ones first."""
    part = _PARTS_OF_SPEECH[token.tag[:2]]
    if part is None:
        return ()
    wordnet = load_wordnet()
    lemmas = {
        lemma
        for sense in wordnet.senses(token.lemma, part, _SENSES)
        for lemma in wordnet.lemmas(sense)
        if lemma != token.lemma
    }
    ranked = sorted(lemmas, key=lambda lemma: (-vocabulary.captions[lemma], lemma))
    forms = (vocabulary.forms.get((lemma, token.tag)) for lemma in ranked)
    likely = [max(sorted(form), key=form.__getitem__) for form in forms if form]
    return tuple(with_case_of(one, token.word) for one in likely[:_MOST_SUGGESTIONS])


KIND = FindingKind(
    name="rare_word",
    explanation="A word that no other clip of the set has in any form, so that no model learns it",
    find=find,
    parses=True,
    writing=False,
)
