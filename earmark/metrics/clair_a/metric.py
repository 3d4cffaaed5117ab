"""CLAIR-A: the judgment of a language model on caption and references.

Source: Wu et al., CLAIR-A: Leveraging Large Language Models to Judge Audio Captions, 2024. There
the value is score / 100 + 0.0001 FENSE; here the two are weighted 0.9999 and 0.0001 with FENSE
from 0 up, so that the value stays from 0 to 1 and the order is the same.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from earmark.asking import LanguageModel, LanguageModelMissing
from earmark.captions import Candidates, References
from earmark.metrics.clair_a import FAMILY
from earmark.metrics.clair_a.judge import Answers, ClipJudge, Verdict
from earmark.metrics.clair_a.prompt import PROMPT
from earmark.metrics.family import mean_score
from earmark.metrics.fense.metric import Fense
from earmark.metrics.joined import JoinedFamily
from earmark.metrics.sbert.metric import SbertReferences
from earmark.results import Details, MetricScore
from earmark.workspace import Workspace

EPSILON = 0.0001  # weight of FENSE


class ClairA(JoinedFamily):
    """Judgment of the language model ``model`` on the first candidate, 0 to 1.

    The workspace has to have the model of that name; where it has none, nothing is sent and
    ``LanguageModelMissing`` is raised. A clip that the model gives no judgment of has NaN;
    ``TooManyUnanswered`` where there are many.
    """

    name = "clair_a"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("clair_a",)

    def __init__(self, *, model: str | None = None) -> None:
        self.model = model
        self._ties = Fense()

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the model, the prompt, the temperature, and what FENSE depends on.

        Raises ``LanguageModelMissing`` where none is chosen.
        """
        return {
            "llm": self._chosen,
            "prompt": PROMPT,
            "temp": 0,
            "eps": EPSILON,
            **self._ties.parameters,
        }

    @property
    def prepared_by(self) -> tuple[Fense]:
        """FENSE."""
        return (self._ties,)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: tuple[tuple[SbertReferences]],
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Have the first candidate of every clip judged."""
        clips = len(candidates)
        model = self._language_model(workspace)
        quiet = workspace.quiet(self.name, clips)
        (ties,) = prepared
        fense = self._ties.score(candidates, references, ties, quiet)["fense"].per_clip
        folder = workspace.cache_dir and workspace.cache_dir / "answers"
        judge = ClipJudge(model, Answers(folder, model.name))
        verdicts = judge.verdicts(
            [
                (caption, clip.references)
                for caption, clip in zip(candidates.first, references.clips, strict=True)
            ],
            lambda done: workspace.progress(self.name, done, clips),
        )
        scores = _scores(verdicts, fense.astype(np.float64))
        details = _details(verdicts, fense.tolist()) if workspace.details else None
        workspace.progress(self.name, clips, clips)
        return {self.name: mean_score(self, self.name, scores, references, details)}

    @property
    def _chosen(self) -> str:
        if self.model is None:
            raise LanguageModelMissing(
                "No language model is chosen. Organisers choose one for a phase."
            )
        return self.model

    def _language_model(self, workspace: Workspace) -> LanguageModel:
        chosen, model = self._chosen, workspace.language_model
        if model is None or model.name != chosen:
            raise LanguageModelMissing(
                f"There is no language model {chosen!r} here that may be asked."
            )
        return model


def _scores(verdicts: Sequence[Verdict], fense: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of clips, 0 to 1; NaN without a judgment."""
    shares = [np.nan if isinstance(one, str) else one.score / 100 for one in verdicts]
    weighted = (1 - EPSILON) * np.array(shares) + EPSILON * np.clip(fense, 0, 1)
    return np.clip(weighted, 0, 1)


def _details(verdicts: Sequence[Verdict], fense: Sequence[float]) -> Details:
    """Score, reason and FENSE of each clip; those without a judgment have ``fault``."""
    return [
        {"score": None, "reason": "", "fault": one, "fense": round(tie, 6)}
        if isinstance(one, str)
        else {"score": one.score, "reason": one.reason, "fault": "", "fense": round(tie, 6)}
        for one, tie in zip(verdicts, fense, strict=True)
    ]
