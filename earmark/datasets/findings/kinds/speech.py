"""What captions report of speech: the words themselves, what they are about, the language.

By rules over words, without a parse, so that a caption is judged at once while it is written.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.speech_words import (
    ABOUT,
    ABOUT_VAGUE,
    ADDRESS_VERBS,
    CALL_VERBS,
    CLAUSE_ENDS,
    DISCUSS_VERBS,
    FIRST_PERSON,
    GREETINGS,
    LANGUAGE_ADJECTIVES,
    LANGUAGE_HEADS,
    LANGUAGES,
    PREPOSITIONS,
    REQUEST_VERBS,
    SAY_VERBS,
    SPEECH_WORDS,
    TIME_WORDS,
    VAGUE,
    VOICED,
)
from earmark.datasets.findings.words import CaptionWord, word_set, words_of
from earmark.text.wordnet import load_wordnet

_LONGEST_CONTENT = 12
# Between a word of speech and what is said: "talking loudly to a child about".
_REACH = 7
# Verbs that a comma and the very words may follow; after others a list goes on.
_QUOTING = frozenset(("say", "says", "saying", "said"))
_QUESTIONS = frozenset(("if", "whether", "that", "how", "why", "what", "where", "who"))
_NO_VERBS = VAGUE | PREPOSITIONS | {"a", "an", "the", "his", "her", "their", "its"}
_BREAK = re.compile(r"[,.;:!?()\[\]\n]")
_SET_OFF = re.compile(r"\s*[,:]\s*$")
_LANGUAGE_WORDS = word_set("language languages tongue dialect dialects accent accents")
_BEFORE_LANGUAGE = word_set("a an the in some with not")
_SETTINGS = frozenset(("background", "distance", "foreground"))


@dataclass(frozen=True, slots=True)
class ReportedSpeech:
    """A stretch that says what is said; ``direct`` where the words themselves stand there.

    The suggestion is the stretch as only the speaking is left of it; none where no rule says how.
    """

    place: FoundPlace
    direct: bool


@dataclass(frozen=True)
class _Reading:
    text: str

    @cached_property
    def words(self) -> list[CaptionWord]:
        return list(words_of(self.text))

    def key(self, at: int) -> str:
        """Key of a word; "" beyond the ends."""
        return self.words[at].key if 0 <= at < len(self.words) else ""

    def gap(self, at: int) -> str:
        """What stands before a word."""
        if at >= len(self.words):
            return "."
        return self.text[self.words[at - 1].end if at else 0 : self.words[at].start]

    def ends_at(self, at: int) -> bool:
        """Whether a new clause begins with a word, or the caption is over before it."""
        return (
            at >= len(self.words)
            or bool(_BREAK.search(self.gap(at)))
            or self.key(at) in CLAUSE_ENDS
            or (self.key(at) in {"in", "at"} and self.key(at + 2) in _SETTINGS)
        )

    def content_end(self, at: int) -> int:
        """The word after the content that begins with a word."""
        end = at
        while end < at + _LONGEST_CONTENT and not self.ends_at(end):
            end += 1
        return end

    def without_adverbs(self, at: int) -> int:
        """The first word from a place on that is no adverb of manner."""
        while not self.ends_at(at) and (self.key(at).endswith("ly") or self.key(at) in VOICED):
            at += 1
        return at

    def vague(self, at: int) -> bool:
        """Whether what is said is left open: "something", "a few words"."""
        keys = [self.key(one) for one in range(at, min(at + 5, self.content_end(at)))]
        return any(key in VAGUE for key in keys) and "about" not in keys

    def report(
        self, first: int, last: int, without: str | None, *, direct: bool | None = None
    ) -> ReportedSpeech:
        """A stretch from one word to before another."""
        keys = {self.key(at) for at in range(first + 1, last)}
        start, end = self.words[first].start, self.words[last - 1].end
        return ReportedSpeech(
            FoundPlace(start, end, () if without is None else (without,)),
            bool(keys & FIRST_PERSON) if direct is None else direct,
        )

    def slice(self, first: int, last: int) -> str:
        return self.text[self.words[first].start : self.words[last - 1].end]


def reported_speech(text: str) -> list[ReportedSpeech]:
    """Stretches of a caption that report speech outside quotation marks, in order and apart.

    Takes time in proportion to the caption's length.
    """
    quoted = sorted(quotations(text))
    reports = _reports(_Reading(text))
    return [one for one in reports if not _touches(quoted, one)]


def _touches(quoted: list[tuple[int, int]], report: ReportedSpeech) -> bool:
    at = bisect_left(quoted, report.place.end, key=lambda span: span[0])
    return any(end > report.place.start for _, end in quoted[max(at - 2, 0) : at])


def _reports(reading: _Reading) -> list[ReportedSpeech]:
    reports: list[ReportedSpeech] = []
    for at in range(len(reading.words)):
        for rule in _RULES:
            report = rule(reading, at)
            if report is not None and (not reports or report.place.start >= reports[-1].place.end):
                reports.append(report)
                break
    return reports


def _speaking(verb: str) -> str:
    """The form of "speak" that a verb of saying has."""
    if verb.endswith("ing"):
        return "speaking"
    if verb.endswith("ed") or verb in {"said", "told"}:
        return "spoke"
    return "speaks" if verb.endswith("s") and verb != "discuss" else "speak"


def _said(reading: _Reading, at: int) -> ReportedSpeech | None:
    """Rule of "says hello", "saying that it is late", "says, go home"."""
    if reading.key(at) not in SAY_VERBS or "what" in (reading.key(at - 1), reading.key(at - 2)):
        return None
    start = at + 1
    if start < len(reading.words) and _SET_OFF.fullmatch(reading.gap(start)):
        if reading.key(at) not in _QUOTING or _goes_on(reading, start):
            return None
        end = max(reading.content_end(start + 1), start + 1)
        return reading.report(at, end, _speaking(reading.key(at)), direct=True)
    start = reading.without_adverbs(start)
    key = reading.key(start)
    if reading.ends_at(start) or key in PREPOSITIONS or reading.vague(start):
        return None
    return reading.report(at, reading.content_end(start), _speaking(reading.key(at)))


def _goes_on(reading: _Reading, at: int) -> bool:
    """Whether after a comma the description goes on, and not what is said."""
    key = reading.key(at)
    return key in CLAUSE_ENDS | _NO_VERBS or key.endswith("ing") or reading.vague(at)


def _called(reading: _Reading, at: int) -> ReportedSpeech | None:
    """Rule of "yelling go", "shouts for help", "chanting usa"."""
    if reading.key(at) not in CALL_VERBS:
        return None
    start = reading.without_adverbs(at + 1)
    if reading.ends_at(start):
        return None
    named = reading.key(start) in GREETINGS
    helped = reading.key(start + 1) == "help"
    wanted = reading.key(start) == "for" and (reading.key(at) in REQUEST_VERBS or helped)
    if named:
        called = takewhile(lambda one: reading.key(one) in GREETINGS, range(start, start + 6))
        return reading.report(at, max(called) + 1, reading.slice(at, at + 1))
    if not wanted or _is_duration(reading, start + 1):
        return None
    return reading.report(at, reading.content_end(start + 1), reading.slice(at, at + 1))


def _is_duration(reading: _Reading, at: int) -> bool:
    within = takewhile(lambda one: one == at or not reading.ends_at(one), range(at, at + 4))
    return reading.ends_at(at) or any(reading.key(one) in TIME_WORDS for one in within)


def _discussed(reading: _Reading, at: int) -> ReportedSpeech | None:
    """Rule of "discussing the weather", "explains how a pump works"."""
    if reading.key(at) not in DISCUSS_VERBS:
        return None
    start = reading.without_adverbs(at + 1)
    if reading.ends_at(start) or reading.key(start) in PREPOSITIONS or reading.vague(start):
        return None
    return reading.report(at, reading.content_end(start), _speaking(reading.key(at)))


def _addressed(reading: _Reading, at: int) -> ReportedSpeech | None:
    """Rule of "tells a dog to sit", "asking if it works"."""
    if reading.key(at) not in ADDRESS_VERBS:
        return None
    for start in range(at + 1, at + _REACH):
        if reading.ends_at(start) or reading.key(start) in ABOUT:
            return None
        if _begins_request(reading, at, start):
            return reading.report(at, reading.content_end(start + 1), None)
    return None


def _begins_request(reading: _Reading, verb: int, at: int) -> bool:
    key = reading.key(at)
    if key == "to":
        following = reading.key(at + 1)
        return following not in _NO_VERBS and load_wordnet().has(following, "v")
    if key == "for":
        asks = reading.key(verb) in REQUEST_VERBS and at == verb + 1
        return asks and not _is_duration(reading, at + 1)
    return key in _QUESTIONS


def _about(reading: _Reading, at: int) -> ReportedSpeech | None:
    """Rule of "talking about cars", "a speech regarding taxes"."""
    if reading.key(at) not in SPEECH_WORDS:
        return None
    within = takewhile(lambda one: not reading.ends_at(one), range(at + 1, at + _REACH))
    about = next((one for one in within if reading.key(one) in ABOUT), None)
    if about is None or reading.key(about - 1) == "for":
        return None
    content = about + 1
    topic = range(content, min(content + 3, reading.content_end(content)))
    vague = any(reading.key(one) in ABOUT_VAGUE for one in topic)
    if reading.ends_at(content) or vague or _is_duration(reading, content):
        return None
    return reading.report(at, reading.content_end(content), reading.slice(at, about))


def _language(reading: _Reading, at: int) -> ReportedSpeech | None:
    """Rule of "speaking in Spanish", "speaks a foreign language", "Spanish speech"."""
    key = reading.key(at)
    before = reading.key(at - 1) if not _BREAK.search(reading.gap(at)) else ""
    following = reading.key(at + 1) if not _BREAK.search(reading.gap(at + 1)) else ""
    if key in LANGUAGES or key == "foreign":
        if following in LANGUAGE_HEADS:
            return _of_language(reading, at, at + 2)
        spoken = any(reading.key(one) in SPEECH_WORDS for one in range(at - 4, at))
        if spoken and (before == "in" or reading.key(at - 1) in SPEECH_WORDS | {"not", "fluent"}):
            return _of_language(reading, at, at + 1)
        return None
    if key in _LANGUAGE_WORDS:
        return _named_language(reading, at, before)
    return None


def _named_language(reading: _Reading, at: int, before: str) -> ReportedSpeech | None:
    spoken = any(reading.key(one) in SPEECH_WORDS for one in range(at - 8, at + 3))
    if before in {"sign", "body", "programming"}:
        return None
    if before in LANGUAGE_ADJECTIVES or (
        reading.key(at).startswith(("language", "dialect")) and spoken
    ):
        first = at - 1 if before in LANGUAGE_ADJECTIVES else at
        return _of_language(reading, first, at + 1)
    return None


def _of_language(reading: _Reading, first: int, last: int) -> ReportedSpeech:
    """The language with "in a" and the verb before it, which stays; else with the word after it."""
    begin = first
    while reading.key(begin - 1) in _BEFORE_LANGUAGE and not _BREAK.search(reading.gap(begin)):
        begin -= 1
    if reading.key(begin - 1) in SPEECH_WORDS and not _BREAK.search(reading.gap(begin)):
        return reading.report(begin - 1, last, reading.slice(begin - 1, begin), direct=False)
    if reading.key(last - 1) in LANGUAGE_HEADS - _LANGUAGE_WORDS:
        return reading.report(first, last, reading.slice(last - 1, last), direct=False)
    return reading.report(begin, last, None, direct=False)


_Rule = Callable[[_Reading, int], ReportedSpeech | None]
_RULES: tuple[_Rule, ...] = (_said, _called, _discussed, _addressed, _about, _language)


_QUOTES = '"\u201c\u201d\u201e\u00ab\u00bb'
# After a digit it is the sign of inches.
_QUOTED = re.compile(rf"(?<![0-9])[{_QUOTES}](?P<inside>[^{_QUOTES}]*)(?P<close>[{_QUOTES}]|$)")
_SINGLE = re.compile(r"(?<![^\W_])['\u2018](?P<inside>[^'\u2019\u2018]*)['\u2019](?![^\W_])")


def quotations(text: str) -> Iterator[tuple[int, int]]:
    """Stretches between quotation marks, with these; one that is not closed goes to the end."""
    for pattern in (_QUOTED, _SINGLE):
        for match in pattern.finditer(text):
            if any(char.isalnum() for char in match["inside"]):
                yield match.span()


def sayings(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """What a speaker says, tells or talks about, and the language spoken."""
    yield from (one.place for one in reported_speech(cut(caption.text)) if not one.direct)


SAYING = FindingKind(
    name="saying",
    explanation='What is said, or the language: "says hello", "talking about cars", "in Spanish"',
    find=sayings,
)


def speech(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """What stands between quotation marks, and words that a speaker says of themselves."""
    text = cut(caption.text)
    yield from (FoundPlace(start, end) for start, end in quotations(text))
    yield from (one.place for one in reported_speech(text) if one.direct)


SPEECH = FindingKind(
    name="speech",
    explanation='Speech written down: quotation marks, or what a speaker says ("says I am here")',
    find=speech,
)
