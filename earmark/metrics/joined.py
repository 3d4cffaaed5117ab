"""Families that use what others prepare from references, and prepare nothing of their own."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

from earmark.captions import References
from earmark.metrics.family import Arrays, Family
from earmark.workspace import Workspace


class JoinedFamily(ABC):
    """A family whose prepared references are those of others: a tuple, one entry for each.

    ``prepared_references`` looks for each under the other family's name, so that memory and disk
    have it once, however many families use it.
    """

    name: str

    @property
    @abstractmethod
    def prepared_by(self) -> tuple[Family[Any], ...]:
        """The families that prepare."""

    def under_own_name(self, workspace: Workspace) -> Workspace:
        """Workspace that tells the progress of another family as that of this one."""
        return replace(
            workspace, progress=lambda _, done, total: workspace.progress(self.name, done, total)
        )

    def prepare(self, references: References, workspace: Workspace) -> tuple[Any, ...]:
        """Do what the others do."""
        quiet = self.under_own_name(workspace)
        return tuple(family.prepare(references, quiet) for family in self.prepared_by)

    def dump(self, prepared: tuple[Any, ...]) -> Arrays:
        """Turn what was prepared into arrays."""
        pairs = enumerate(zip(self.prepared_by, prepared, strict=True))
        return {
            f"{place}_{key}": array
            for place, (family, one) in pairs
            for key, array in family.dump(one).items()
        }

    def load(self, arrays: Arrays) -> tuple[Any, ...]:
        """Read what ``dump`` wrote."""
        starts = (f"{place}_" for place in range(len(self.prepared_by)))
        apart = (
            {key.removeprefix(start): arrays[key] for key in arrays if key.startswith(start)}
            for start in starts
        )
        return tuple(family.load(own) for family, own in zip(self.prepared_by, apart, strict=True))
