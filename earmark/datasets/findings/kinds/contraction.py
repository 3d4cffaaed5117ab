"""Contractions, which a set has either always or never."""

from collections.abc import Iterator

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.words import CaptionWord, with_case_of, word_set, words_of

_WHOLE = {
    "ain't": ("is not", "are not"),
    "can't": ("cannot",),
    "shan't": ("shall not",),
    "won't": ("will not",),
    "let's": ("let us",),
    "'tis": ("it is",),
    "ma'am": ("madam",),
    "o'clock": (),
}
_ENDINGS = {
    "n't": ("not",),
    "'re": ("are",),
    "'ve": ("have",),
    "'ll": ("will",),
    "'m": ("am",),
    "'d": ("would", "had"),
}
# After these 's is "is" or "has"; after other words it is that only where the parse says so.
_PRONOUNS = word_set(
    """
    it he she that there here what who where how when this which something someone somebody
    everything everyone i you we they
    """
)
_MEANT_AS_POSSESSIVE = {"it's": ("its",), "who's": ("whose",)}
# Without their apostrophe, and not also another word ("wont", "hell", "shed", "were" are).
_WITHOUT_APOSTROPHE = {
    "arent": "aren't",
    "cant": "can't",
    "couldnt": "couldn't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "dont": "don't",
    "hadnt": "hadn't",
    "hasnt": "hasn't",
    "havent": "haven't",
    "isnt": "isn't",
    "shouldnt": "shouldn't",
    "theres": "there's",
    "theyre": "they're",
    "thats": "that's",
    "wasnt": "wasn't",
    "werent": "weren't",
    "wouldnt": "wouldn't",
    "whats": "what's",
    "youre": "you're",
}


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """Contractions, and those whose apostrophe is missing; possessives are none."""
    text = cut(caption.text)
    for word in words_of(text):
        written = _WITHOUT_APOSTROPHE.get(word.key, word.key)
        if "'" not in written:
            continue
        expansions = _expansions(written)
        if expansions is None:
            expansions = _of_verb(word, caption, captions)
        if expansions is None or written == "o'clock":
            continue
        with_apostrophe = (written,) if written != word.key else ()
        original = text[word.start : word.end]
        yield FoundPlace(
            word.start,
            word.end,
            tuple(with_case_of(one, original) for one in (*expansions, *with_apostrophe)),
        )


def _expansions(word: str) -> tuple[str, ...] | None:
    """What a contraction is short for; None where it may be none."""
    if word in _WHOLE:
        return _WHOLE[word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            stem = word.removesuffix(ending)
            # Of other words it is a past tense: "echo'd".
            if ending == "'d" and stem not in _PRONOUNS:
                return None
            return tuple(f"{stem} {one}" for one in full)
    stem = word.removesuffix("'s")
    if stem == word or stem not in _PRONOUNS:
        return None
    return (f"{stem} is", f"{stem} has", *_MEANT_AS_POSSESSIVE.get(word, ()))


def _of_verb(
    word: CaptionWord, caption: PlacedCaption, captions: CheckedCaptions
) -> tuple[str, ...] | None:
    """Expansions of a noun with 's where the parse takes that for a verb."""
    if not word.key.endswith("'s"):
        return None

    def ends_of_verbs() -> frozenset[int]:
        return frozenset(one.end for one in captions.parse(caption).tokens if one.tag == "VBZ")

    if word.end not in captions.once("contraction", caption.text, ends_of_verbs):
        return None
    stem = word.key.removesuffix("'s")
    return (f"{stem} is", f"{stem} has")


KIND = FindingKind(
    name="contraction",
    explanation=(
        'A contraction ("it\'s", "doesn\'t", also "doesnt"), which some sets write out and others '
        "keep"
    ),
    find=find,
)
