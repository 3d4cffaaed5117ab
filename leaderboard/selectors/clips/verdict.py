"""Why a caption has its value, in short: how near each reference is, and which words they share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from earmark.datasets.findings.words import FUNCTION_WORDS, word_set, words_of
from earmark.text.porter2 import stem
from leaderboard.selectors.clips.corpus import ClipReport

# Families that store the similarity to each reference, the first that a clip has is shown.
SIMILARITIES = ("fense", "sbert")
MOST_MISSED = 8
# Words that join sounds, and say nothing of them, besides the function words.
LINKING = FUNCTION_WORDS | word_set(
    "next followed following after afterwards before later during finally first meanwhile along"
    " through also again both other another not no out up down off"
)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A piece of a caption; ``references`` have a content word of it, None for what is no such."""

    text: str
    references: int | None = None


def clip_verdict(report: ClipReport, ranking_metric: str) -> dict[str, Any]:
    """Sum up a clip, from its texts and what metrics stored of it.

    ``ranking`` is the metric that ranks. ``similarities`` are those to each reference, empty where
    no metric has them; ``nearest`` and ``furthest`` number two references from 1. ``missed`` are
    words that half of the references or more have and the caption has not, with the number of
    references. ``fluency`` is what the detector stored.
    Details that another version of the scorer stored may have another shape; they are left out.
    """
    details = {family.name: family.details for family in report.families if family.details}
    try:
        return _verdict(report, ranking_metric, details)
    except (AttributeError, KeyError, TypeError):
        return _verdict(report, ranking_metric, {})


def _verdict(
    report: ClipReport, ranking_metric: str, details: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    metrics = (metric for family in report.families for metric in family.metrics)
    line, near = report.line, [details[name] for name in SIMILARITIES if name in details]
    numbers = next((one["similarities"] for one in near if "similarities" in one), ())
    places = sorted(range(len(numbers)), key=numbers.__getitem__)
    aligned = details.get("meteor", {}).get("matches", ())
    words, missed = compared_words(line.caption, line.references, aligned)
    return {
        "ranking": next((one for one in metrics if one.info.name == ranking_metric), None),
        "words": words,
        "missed": missed,
        "similarities": tuple(numbers),
        "nearest": places[-1] + 1 if places else 0,
        "furthest": places[0] + 1 if places else 0,
        "fluency": next((one["fluency"] for one in near if one.get("fluency")), None),
    }


def compared_words(
    caption: str, references: Sequence[str], aligned: Iterable[Mapping[str, str]] = ()
) -> tuple[tuple[MarkedText, ...], tuple[tuple[str, int], ...]]:
    """The caption in pieces, and the content words that it misses, the most frequent first.

    Words are compared by their stems. ``aligned`` are pairs of words or phrases, of the caption
    (``candidate``) and of a reference, that METEOR takes for the same: synonyms and paraphrases.
    """
    aligned = list(aligned)
    counts = Counter[str]()
    written: dict[str, str] = {}
    for reference in references:
        stems = {stem(word.key): word.key for word in words_of(reference)}
        counts.update(stems.keys())
        written = stems | written
    alike = {stem(word.key) for pair in aligned for word in words_of(pair["candidate"])}
    pieces, at = [], 0
    own: set[str] = set()
    for word in words_of(caption):
        key = stem(word.key)
        own.add(key)
        pieces.append(MarkedText(caption[at : word.start]))
        having = counts[key] or int(key in alike)
        mark = None if word.key in LINKING else having
        pieces.append(MarkedText(caption[word.start : word.end], mark))
        at = word.end
    pieces.append(MarkedText(caption[at:]))
    own |= {stem(word.key) for pair in aligned for word in words_of(pair["reference"])}
    missed = [
        (written[key], count)
        for key, count in counts.most_common()
        if key not in own and written[key] not in LINKING and 2 * count >= len(references)
    ]
    return tuple(one for one in pieces if one.text), tuple(missed[:MOST_MISSED])
