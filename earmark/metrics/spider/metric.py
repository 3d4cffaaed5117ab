"""SPIDEr: the mean of SPICE and CIDEr-D.

Source: Liu et al., Improved Image Captioning via Policy Gradient Optimization
of SPIDEr, ICCV 2017; SPIDEr-max: Labbé et al., DCASE 2022.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.cider_d.metric import CiderD, CiderReferences
from earmark.metrics.family import mean_score
from earmark.metrics.joined import JoinedFamily
from earmark.metrics.spice.graphs import ReferenceGraphs
from earmark.metrics.spice.metric import Spice, f1_scores
from earmark.metrics.spider import FAMILY
from earmark.read_ahead import TextsAhead
from earmark.results import Details, MetricScore
from earmark.workspace import Workspace

Floats = NDArray[np.float64]


# References as both parts prepare them.
SpiderReferences = tuple[ReferenceGraphs, CiderReferences]


class Spider(JoinedFamily):
    """(SPICE + CIDEr-D) / 2 of the first candidate, and the best over all candidates.

    ``spider_max`` is there where a clip has several candidates. It scores every
    rank of candidates over the whole corpus, with document frequencies from the
    references alone, and takes per clip the best; a clip with one candidate has
    the same value in both.
    """

    name = "spider"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("spider", "spider_max")

    def __init__(self, *, sigma: float = 6.0) -> None:
        self._spice = Spice()
        self._cider = CiderD(sigma=sigma)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name what both parts depend on."""
        return {**self._spice.parameters, **self._cider.parameters}

    @property
    def prepared_by(self) -> tuple[Spice, CiderD]:
        """Both parts."""
        return self._spice, self._cider

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Do what SPICE does."""
        self._spice.read_ahead(texts, workspace)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: SpiderReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip and, where there are several, the best."""
        clips = len(candidates)
        depth = max(len(ranked) for ranked in candidates.captions)
        parts = []
        for rank in range(depth):
            at_rank = [ranked[min(rank, len(ranked) - 1)] for ranked in candidates.captions]
            done = clips * rank // depth
            parts.append(self.parts(at_rank, references, prepared, workspace, done=done))
        spice = np.array([spice for spice, _ in parts])
        cider = np.array([cider for _, cider in parts])
        both = (spice + cider) / 2
        # Ranks that a clip does not have repeat its last candidate, which no maximum sees.
        chosen = both.argmax(axis=0)
        workspace.progress(self.name, clips, clips)
        wanted = {"spider": np.zeros(clips, np.int64)}
        if candidates.several:
            wanted["spider_max"] = chosen
        details = _details(spice, cider, candidates, chosen) if workspace.details else None
        return {
            name: mean_score(self, name, both[ranks, np.arange(clips)], references, details)
            for name, ranks in wanted.items()
        }

    def parts(
        self,
        captions: Sequence[str],
        references: References,
        prepared: SpiderReferences,
        workspace: Workspace,
        *,
        done: int = 0,
    ) -> tuple[Floats, Floats]:
        """SPICE and CIDEr-D of one caption per clip, both of shape (clips,).

        Progress stays at ``done`` clips meanwhile.
        """
        quiet = workspace.quiet(self.name, len(captions), done=done)
        graphs, counts = prepared
        spice = f1_scores(self._spice.match(captions, graphs, quiet))
        single = Candidates.single(captions)
        cider = self._cider.score(single, references, counts, quiet)["cider_d"]
        return spice, cider.per_clip.astype(np.float64)


def _details(
    spice: Floats, cider: Floats, candidates: Candidates, chosen: NDArray[np.int64]
) -> Details:
    """List per clip both parts of the first candidate's score (candidate 1).

    Where the clip has several candidates, "best" has those of the one that ``spider_max`` takes,
    so that both metrics share their details, and "by_candidates" has the SPIDEr of each, first
    to last: the highest of the first j is ``spider_max`` at j candidates.
    """

    def parts(rank: int, clip: int) -> dict[str, Any]:
        values = {"spice": float(spice[rank, clip]), "cider_d": float(cider[rank, clip])}
        return {"candidate": rank + 1, **values}

    rows: list[dict[str, Any]] = []
    for clip, ranked in enumerate(candidates.captions):
        row = parts(0, clip)
        if len(ranked) > 1:
            row["best"] = parts(int(chosen[clip]), clip)
            row["by_candidates"] = ((spice + cider) / 2)[: len(ranked), clip].round(6).tolist()
        rows.append(row)
    return rows
