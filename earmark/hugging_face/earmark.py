"""The module that ``evaluate.load`` imports; see ``earmark.hugging_face``."""

from collections.abc import Mapping, Sequence
from typing import Any

import datasets
import evaluate

import earmark

_DESCRIPTION = "Metrics of audio captioning: the numbers of the reference programs, without Java."
_INPUTS = """\
predictions: a caption for each clip.
references: for each clip a list of its reference captions.
metrics: names of metrics or of sets such as "dcase2024"; by default those that were given to
    evaluate.load as its second argument, or all.
parameters, device, cache_dir: as for earmark.score.
Returns the corpus value of each metric by its name, and under "signatures" what each depends on.
A metric whose model is missing has no value and stands under "unavailable" with the reason.
"""
_CITATION = "Cite the papers of the metrics that you report: docs/reference/papers.md of Earmark."


class EarmarkModule(evaluate.Metric):  # type: ignore[misc]
    """Calls ``earmark.score``."""

    def _info(self) -> Any:
        """Describe the module."""
        text = datasets.Value("string")
        features = {"predictions": text, "references": datasets.Sequence(text)}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(features),
        )

    def _compute(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        metrics: str | Sequence[str] | None = None,
        **options: Any,
    ) -> Mapping[str, Any]:
        """Score the captions that evaluate collected."""
        chosen = self.config_name if metrics is None else metrics
        wanted = "all" if chosen in ("default", None) else chosen
        scores = earmark.score(predictions, references, wanted, **options)
        return {
            **scores,
            "signatures": scores.signatures,
            "unavailable": dict(scores.unavailable),
        }
