"""BLEU-1 to BLEU-4."""

from functools import partial

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, MetricInfo, listed


def _sequence_steps(longest: int, detail: Detail) -> list[str]:
    lines = []
    rows = zip(detail["matched"], detail["correct"], detail["total"], strict=True)
    for n, (matched, correct, total) in enumerate(rows, 1):
        if n <= longest:
            counted = (f"{text} ({times} times)" if times > 1 else text for text, times in matched)
            lines.append(f"sequences of {n}: {correct} of {total} found: {listed(counted)}")
    words, nearest = detail["length"], detail["reference_length"]
    lines.append(f"{words} words; the reference nearest in length has {nearest}")
    return lines


def _bleu(longest: int, sequences: str, what: str, misses: str) -> MetricInfo:
    return MetricInfo(
        name=f"bleu_{longest}",
        label=f"BLEU-{longest}",
        low=0.0,
        high=1.0,
        summary=f"Share of the caption's {sequences} found in a reference",
        source="Papineni et al., BLEU, ACL 2002; COCO caption evaluation (pycocoevalcap 1.2)",
        link="https://aclanthology.org/P02-1040/",
        explanation=Explanation(
            what=what, misses=misses, clip="hall.wav", steps=partial(_sequence_steps, longest)
        ),
    )


FAMILY = FamilyInfo(
    name="bleu",
    path="earmark.metrics.bleu.metric:Bleu",
    queue="cpu",
    group="Word sequences",
    order=10,
    revision=2,
    seconds=0.1,
    metrics=(
        _bleu(
            1,
            "words",
            what=(
                "The share of the caption's words that are in a reference. A word counts at most "
                "as often as in the reference that has it most often. If the caption is shorter "
                "than the reference nearest in length, the share is multiplied by exp(1 - "
                "reference length / caption length). The corpus value is computed from the "
                "counts of all clips together, not as the mean of the clips."
            ),
            misses=(
                'Word order, synonyms ("rain falls" and "water pours" share nothing), and which '
                'words matter: "a" and "is" count as much as "dog". Safe, frequent words are '
                "rewarded."
            ),
        ),
        _bleu(
            2,
            "1- to 2-word sequences",
            what=(
                "Like BLEU-1, but also with pairs of neighbouring words: the geometric mean of "
                "the two shares."
            ),
            misses=(
                "The same as BLEU-1, except that word order counts a little. A caption that "
                "shares no pair of words with a reference gets (practically) 0."
            ),
        ),
        _bleu(
            3,
            "1- to 3-word sequences",
            what=(
                "Like BLEU-1, but also with sequences of two and three words: the geometric mean "
                "of the three shares."
            ),
            misses=(
                "The same as BLEU-1. A single caption without three words in a row from a "
                "reference gets (practically) 0, so read the corpus value."
            ),
        ),
        _bleu(
            4,
            "1- to 4-word sequences",
            what=(
                "Like BLEU-1, but also with sequences of two, three and four words: the "
                "geometric mean of the four shares. BLEU was made for whole translated "
                "documents."
            ),
            misses=(
                "The same as BLEU-1. Most single captions have no four words in a row from a "
                "reference and get (practically) 0, so read the corpus value."
            ),
        ),
    ),
)
