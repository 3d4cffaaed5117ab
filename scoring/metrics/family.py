"""The protocol behind which every metric stands."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.results import MetricScore
from scoring.workspace import Workspace

P = TypeVar("P")
Arrays = Mapping[str, NDArray[Any]]


class Family(Protocol[P]):
    """Metrics that are computed together and share what is prepared.

    A family is made with its parameters as keyword arguments, all with
    defaults; each parameter able to change a number is in ``parameters``.
    ``revision`` is raised when the family's numbers change, and only then:
    it ends every signature.
    """

    name: str
    revision: int
    metrics: tuple[str, ...]

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """What stands in the signature, in a fixed order; loads no model."""
        ...

    def prepare(self, references: References, workspace: Workspace) -> P:
        """Do all the work that does not depend on the candidates."""
        ...

    def dump(self, prepared: P) -> Arrays:
        """Turn what was prepared into arrays (no object dtype) for the disk cache."""
        ...

    def load(self, arrays: Arrays) -> P:
        """Read what ``dump`` wrote."""
        ...

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: P,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score candidates given in the order of the references.

        Deterministic, and per clip independent of the other clips (corpus
        statistics come from ``prepared`` alone).
        """
        ...
