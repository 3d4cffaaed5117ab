"""Every metric by name, without importing any of them."""

import importlib
import math
from dataclasses import dataclass
from typing import Any, Literal

from scoring.errors import UnknownMetric
from scoring.metrics.family import Family

Direction = Literal["higher", "lower"]
Queue = Literal["cpu", "gpu"]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What a reader needs to know about a metric before looking at a number.

    ``several``: it exists only where a clip has several candidates.
    """

    name: str
    label: str
    family: str
    low: float
    high: float
    direction: Direction
    decimals: int
    summary: str
    source: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class FamilyInfo:
    """Where a family lives and which workers compute it."""

    name: str
    path: str
    queue: Queue


FAMILIES: dict[str, FamilyInfo] = {
    info.name: info
    for info in (
        FamilyInfo("bleu", "scoring.metrics.bleu:Bleu", "cpu"),
        FamilyInfo("rouge_l", "scoring.metrics.rouge:RougeL", "cpu"),
        FamilyInfo("meteor", "scoring.metrics.meteor:Meteor", "cpu"),
        FamilyInfo("cider_d", "scoring.metrics.cider:CiderD", "cpu"),
        FamilyInfo("spice", "scoring.metrics.spice:Spice", "cpu"),
        FamilyInfo("spider", "scoring.metrics.spice:Spider", "cpu"),
        FamilyInfo("spider_fl", "scoring.metrics.spice:SpiderFl", "gpu"),
        FamilyInfo("sbert", "scoring.metrics.sbert:Sbert", "gpu"),
        FamilyInfo("fluency", "scoring.metrics.fluency:Fluency", "gpu"),
        FamilyInfo("fense", "scoring.metrics.fense:Fense", "gpu"),
        FamilyInfo("bert_score", "scoring.metrics.bert_score:BertScore", "gpu"),
        FamilyInfo("cb", "scoring.metrics.cb:ConsensusScore", "cpu"),
        FamilyInfo("aces", "scoring.metrics.aces:Aces", "gpu"),
        FamilyInfo("sbf", "scoring.metrics.sbf:Sbf", "gpu"),
        FamilyInfo("spice_plus", "scoring.metrics.spice:SpicePlus", "cpu"),
        FamilyInfo("spice_plus_emb", "scoring.metrics.spice:SpicePlusEmb", "gpu"),
        FamilyInfo("vocab", "scoring.metrics.vocab:Vocab", "cpu"),
    )
}

_BLEU = "Papineni et al., BLEU, ACL 2002; COCO caption evaluation (pycocoevalcap 1.2)"

_SBF = "Mahfuz et al., Detecting False Alarms and Misses in Audio Captions, 2023; docs/sbf.md"

METRICS: dict[str, MetricInfo] = {
    info.name: info
    for info in (
        *(
            MetricInfo(
                f"bleu_{n}",
                f"BLEU-{n}",
                "bleu",
                0.0,
                1.0,
                "higher",
                3,
                f"Share of the caption's 1- to {n}-word sequences found in a reference"
                if n > 1
                else "Share of the caption's words found in a reference",
                _BLEU,
            )
            for n in (1, 2, 3, 4)
        ),
        MetricInfo(
            "rouge_l",
            "ROUGE-L",
            "rouge_l",
            0.0,
            1.0,
            "higher",
            3,
            "Longest common word sequence with the best reference, weighted to recall",
            "Lin, ROUGE, ACL workshop 2004; beta 1.2 as in COCO caption evaluation",
        ),
        MetricInfo(
            "meteor",
            "METEOR",
            "meteor",
            0.0,
            1.0,
            "higher",
            3,
            "Words aligned with the best reference by form, stem, synonym or paraphrase",
            "Denkowski and Lavie, Meteor Universal, WMT 2014; version 1.5, -l en -norm",
        ),
        MetricInfo(
            "cider_d",
            "CIDEr-D",
            "cider_d",
            0.0,
            10.0,
            "higher",
            3,
            "Shared word sequences, each weighted by how rare it is among the references",
            "Vedantam et al., CIDEr, CVPR 2015; n 4, sigma 6, times 10",
        ),
        MetricInfo(
            "spice",
            "SPICE",
            "spice",
            0.0,
            1.0,
            "higher",
            3,
            "Objects, attributes and relations shared with the references",
            "Anderson et al., SPICE, ECCV 2016; docs/spice.md",
        ),
        MetricInfo(
            "spider",
            "SPIDEr",
            "spider",
            0.0,
            5.5,
            "higher",
            3,
            "Mean of SPICE and CIDEr-D",
            "Liu et al., SPIDEr, ICCV 2017",
        ),
        MetricInfo(
            "spider_fl",
            "SPIDEr-FL",
            "spider_fl",
            0.0,
            5.5,
            "higher",
            3,
            "SPIDEr, a tenth of it where the caption is flagged as not fluent",
            "DCASE 2023 task 6a; detector trained for this project",
        ),
        MetricInfo(
            "sbert_sim",
            "SBERT similarity",
            "sbert",
            -1.0,
            1.0,
            "higher",
            3,
            "Mean cosine between the caption's sentence embedding and each reference's",
            "Zhou et al., FENSE, ICASSP 2022, equation 1",
        ),
        MetricInfo(
            "fer",
            "Fluency error rate",
            "fluency",
            0.0,
            1.0,
            "lower",
            3,
            "Share of captions flagged as repeated, cut off or otherwise not fluent",
            "Zhou et al., FENSE, ICASSP 2022, section 3.2; detector trained for this project",
        ),
        MetricInfo(
            "fense",
            "FENSE",
            "fense",
            -1.0,
            1.0,
            "higher",
            3,
            "SBERT similarity, a tenth of it where the caption is flagged as not fluent",
            "Zhou et al., FENSE, ICASSP 2022, equation 2; detector trained for this project",
        ),
        MetricInfo(
            "bert_score",
            "BERTScore",
            "bert_score",
            0.0,
            1.0,
            "higher",
            3,
            "Word pieces matched with those of the best reference by their vectors in context",
            "Zhang et al., BERTScore, ICLR 2020; F1, no idf, no rescaling",
        ),
        MetricInfo(
            "cb_score",
            "CB-score",
            "cb",
            0.0,
            1.0,
            "higher",
            3,
            "Relevance of the sounds named, as a share of what as many sounds can reach",
            "Consensus of the references on AudioSet events; docs/cb_score.md",
        ),
        MetricInfo(
            "cb_recall",
            "CB recall",
            "cb",
            0.0,
            1.0,
            "higher",
            3,
            "Relevance of the sounds named, as a share of what an average reference can reach",
            "Consensus of the references on AudioSet events; docs/cb_score.md",
        ),
        MetricInfo(
            "aces",
            "ACES",
            "aces",
            0.0,
            1.0,
            "higher",
            3,
            "What sounds, how and where, near to what the references say; half if not fluent",
            "Wijngaard et al., ACES, WASPAA 2023; labeller and detector trained for this project",
        ),
        MetricInfo(
            "sbf_precision",
            "SBF precision",
            "sbf",
            0.0,
            1.0,
            "higher",
            3,
            "Share of the sounds that the caption brings to mind that a reference does as well",
            _SBF,
        ),
        MetricInfo(
            "sbf_recall",
            "SBF recall",
            "sbf",
            0.0,
            1.0,
            "higher",
            3,
            "Share of the sounds that a reference brings to mind that the caption does as well",
            _SBF,
        ),
        MetricInfo(
            "sbf",
            "SBF",
            "sbf",
            0.0,
            1.0,
            "higher",
            3,
            "F of SBF precision and recall: few false alarms and few misses",
            _SBF,
        ),
        MetricInfo(
            "spice_plus",
            "SPICE+",
            "spice_plus",
            0.0,
            1.0,
            "higher",
            3,
            "SPICE with more of what a caption says read from its grammar",
            "Gontier et al., SPICE+, ICASSP 2023; docs/spice.md",
        ),
        MetricInfo(
            "spice_plus_precision",
            "SPICE+ precision",
            "spice_plus_emb",
            0.0,
            1.0,
            "higher",
            3,
            "How near each thing said comes to something in the references, by embeddings",
            "Gontier et al., SPICE+, ICASSP 2023; docs/spice.md",
        ),
        MetricInfo(
            "spice_plus_recall",
            "SPICE+ recall",
            "spice_plus_emb",
            0.0,
            1.0,
            "higher",
            3,
            "How near each thing in the references comes to something said, by embeddings",
            "Gontier et al., SPICE+, ICASSP 2023; docs/spice.md",
        ),
        MetricInfo(
            "spice_plus_emb",
            "SPICE+emb",
            "spice_plus_emb",
            0.0,
            1.0,
            "higher",
            3,
            "F of SPICE+ precision and recall by embeddings",
            "Gontier et al., SPICE+, ICASSP 2023; docs/spice.md",
        ),
        MetricInfo(
            "vocab",
            "Vocabulary",
            "vocab",
            0.0,
            math.inf,
            "higher",
            0,
            "Number of distinct words that a system uses over the corpus",
            "DCASE task 6 result tables; distinct PTB tokens",
        ),
        MetricInfo(
            "spider_max",
            "SPIDEr-max",
            "spider",
            0.0,
            5.5,
            "higher",
            3,
            "SPIDEr of the best of several candidates for each clip",
            "Labbé et al., SPIDEr-max, DCASE workshop 2022",
            several=True,
        ),
    )
}


def metric(name: str) -> MetricInfo:
    """Look a metric up by name, or raise ``UnknownMetric``."""
    try:
        return METRICS[name]
    except KeyError as error:
        raise UnknownMetric(name, tuple(METRICS)) from error


def metrics_for(*, several: bool) -> tuple[str, ...]:
    """Name every metric that a submission has, with ``several`` candidates per clip or one."""
    return tuple(name for name, info in METRICS.items() if several or not info.several)


def metrics_of(family_name: str) -> tuple[MetricInfo, ...]:
    """List a family's metrics in the order used everywhere."""
    return tuple(info for info in METRICS.values() if info.family == family_name)


def families_of(metric_names: tuple[str, ...]) -> tuple[str, ...]:
    """List the families that compute these metrics, each once, in registry order."""
    wanted = {metric(name).family for name in metric_names}
    return tuple(name for name in FAMILIES if name in wanted)


def load_family(name: str, **parameters: Any) -> Family[Any]:
    """Import a family and make it with its parameters."""
    module, _, attribute = FAMILIES[name].path.partition(":")
    family: Family[Any] = getattr(importlib.import_module(module), attribute)(**parameters)
    return family
