"""How a clip's value came about, in lines of plain text, from a metric's details."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

Detail = Mapping[str, Any]
Steps = Callable[[Detail], list[str]]


def steps(metric: str, detail: Detail) -> list[str]:
    """Tell a clip's details line by line."""
    return STEPS[metric](detail)


def _bleu(longest: int, detail: Detail) -> list[str]:
    lines = []
    rows = zip(detail["matched"], detail["correct"], detail["total"], strict=True)
    for n, (found, correct, total) in enumerate(rows, 1):
        if n <= longest:
            lines.append(f"sequences of {n}: {correct} of {total} found: {_counted(found)}")
    words, nearest = detail["length"], detail["reference_length"]
    lines.append(f"{words} words; the reference nearest in length has {nearest}")
    return lines


def _counted(ngrams: Iterable[tuple[str, int]]) -> str:
    told = [f"{text} ({times} times)" if times > 1 else text for text, times in ngrams]
    return _listed(told)


def _rouge(detail: Detail) -> list[str]:
    return [
        f"longest common sequence: {' '.join(detail['words'])}",
        f"precision {detail['precision']:.3f} by reference {detail['reference'] + 1}",
        f"recall {detail['recall']:.3f} by reference {detail['recall_reference'] + 1}",
    ]


def _meteor(detail: Detail) -> list[str]:
    pairs = [
        f"{row['candidate']} = {row['reference']} ({row['matcher']})" for row in detail["matches"]
    ]
    return [
        f"best reference: {detail['reference'] + 1}",
        f"aligned: {_listed(pairs)}",
        f"precision {detail['precision']:.3f}, recall {detail['recall']:.3f}",
        f"penalty for pieces: {detail['penalty']:.3f}",
    ]


def _cider(detail: Detail) -> list[str]:
    return [
        f"{row['ngram']}: in {row['references']} of the references, idf {row['idf']:.3f}, "
        f"adds {row['part']:.3f}"
        for row in detail["shared"][:5]
    ]


def _sbert(detail: Detail) -> list[str]:
    return [f"cosine with reference {i}: {x:.3f}" for i, x in enumerate(detail["similarities"], 1)]


def _fluency(detail: Detail) -> list[str]:
    verdict = "flagged" if detail["flag"] else "not flagged"
    likeliest = detail["likeliest"]
    sure = detail["probabilities"]
    return [
        f"{verdict}: p(error) = {sure['error']:.3f}",
        f"likeliest kind: {likeliest} ({sure[likeliest]:.3f})",
    ]


def _fense(detail: Detail) -> list[str]:
    return [*_sbert(detail), *_fluency(detail["fluency"])]


def _bert(detail: Detail) -> list[str]:
    lines = [
        f"best reference: {detail['reference'] + 1}",
        f"precision {detail['precision']:.3f}, recall {detail['recall']:.3f}",
    ]
    for side, name in (("precision_matches", "caption"), ("recall_matches", "reference")):
        worst = sorted(detail[side], key=lambda row: float(row["similarity"]))[:3]
        told = [f"{row['token']} = {row['match']} {row['similarity']:.3f}" for row in worst]
        lines.append(f"matched worst in the {name}: {_listed(told)}")
    return lines


def _spice(detail: Detail) -> list[str]:
    return [f"{kind}: {_tuples(detail[kind])}" for kind in ("matched", "invented", "missed")]


def _tuples(rows: Iterable[Iterable[str]]) -> str:
    return _listed(f"({', '.join(row)})" for row in rows)


def _spider(detail: Detail) -> list[str]:
    return [f"SPICE {detail['spice']:.3f}, CIDEr-D {detail['cider_d']:.3f}"]


def _spider_max(detail: Detail) -> list[str]:
    """Tell the best candidate's parts; a clip with one candidate has no other."""
    best = detail.get("best", detail)
    return [f"best candidate: {best['candidate']}", *_spider(best)]


def _spider_fl(detail: Detail) -> list[str]:
    return [*_spider(detail), *_fluency(detail["fluency"])]


def _cb(detail: Detail) -> list[str]:
    events = [
        f"{row['event']} {row['relevance']:.3f} (named {row['references']} times)"
        for row in detail["relevance"]
    ]
    named = [
        f"{row['event']} {row['relevance']:.3f} (from {row['words']})"
        for row in detail["candidate"]
    ]
    return [
        f"the references' events: {_listed(events)}",
        f"the caption's: {_listed(named)}",
        f"the best caption with as many: {_listed(detail['ideal'])}",
        f"the best caption of average length: {_listed(detail['ideal_average'])}",
    ]


def _aces(detail: Detail) -> list[str]:
    words = [f"{row['text']} {row['label']}" for row in detail["words"] if row["label"] != "O"]
    lines = [f"labelled: {_listed(words)}"]
    for row in detail["labels"]:
        pairs = [f"{x['span']} = {x['match']} {x['similarity']:.3f}" for x in row["spans"]]
        lines.append(f"{row['label']}: {_listed(pairs)}; F {row['f']:.3f}")
    lines.append(f"labels of the caption alone: {_listed(detail['only_candidate'])}")
    lines.append(f"labels of the references alone: {_listed(detail['only_references'])}")
    return lines


def _sbf(sides: tuple[str, ...], detail: Detail) -> list[str]:
    lines = [f"phrases: {_listed(detail['phrases'])}"]
    clip = len(detail["reference_phrases"])
    for side in sides:
        rows = detail[side]
        most = [f"{row['class']} ({row['references']} of {clip}, {row['phrase']})" for row in rows]
        times = sum(row["references"] for row in rows)
        told = f"{side.replace('_', ' ')}, {times} over the references"
        lines.append(f"{told}, the most frequent: {_listed(most[:5])}")
    return lines


def _vocab(detail: Detail) -> list[str]:
    return [f"words that the system uses for this clip alone: {_listed(detail['only_here'])}"]


def _tuple_side(side: str, detail: Detail) -> list[str]:
    return [
        f"{row['tuple']}: nearest {row['match']}, {row['similarity']:.3f}" for row in detail[side]
    ]


def _both_sides(detail: Detail) -> list[str]:
    told = []
    for side, name in (("candidate", "precision"), ("references", "recall")):
        best = [row["similarity"] for row in detail[side]]
        mean = sum(best) / len(best) if best else 0.0
        told.append(f"{name} {mean:.3f}, the mean over {len(best)} tuples")
    return told


def _listed(texts: Iterable[str]) -> str:
    return "; ".join(texts) or "none"


STEPS: dict[str, Steps] = {
    **{f"bleu_{n}": partial(_bleu, n) for n in (1, 2, 3, 4)},
    "rouge_l": _rouge,
    "meteor": _meteor,
    "cider_d": _cider,
    "spice": _spice,
    "spider": _spider,
    "spider_max": _spider_max,
    "spider_fl": _spider_fl,
    "sbert_sim": _sbert,
    "fer": _fluency,
    "fense": _fense,
    "bert_score": _bert,
    "cb_score": _cb,
    "cb_recall": _cb,
    "aces": _aces,
    "sbf_precision": partial(_sbf, ("hits", "false_alarms")),
    "sbf_recall": partial(_sbf, ("hits", "misses")),
    "sbf": partial(_sbf, ("hits", "false_alarms", "misses")),
    "spice_plus": _spice,
    "spice_plus_precision": partial(_tuple_side, "candidate"),
    "spice_plus_recall": partial(_tuple_side, "references"),
    "spice_plus_emb": _both_sides,
    "vocab": _vocab,
}
