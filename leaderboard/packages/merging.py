"""Putting together what was typed and what a file says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from leaderboard.packages.metadata import Dataset, Metadata
from leaderboard.packages.yaml_files import metadata_of


def merged(base: Metadata | None, over: Mapping[str, Any]) -> Metadata:
    """Give ``base`` with the values of ``over`` in the place of its own, lists as a whole."""
    typed = metadata_of(over).value or Metadata()
    if base is None:
        return typed
    typed = replace(typed, system=replace(typed.system, external_datasets=_known(base, typed)))
    return metadata_of(_over(base.to_dict(), typed.to_dict())).value or Metadata()


def _known(base: Metadata, typed: Metadata) -> tuple[Dataset, ...]:
    """Give typed data sets; one of which only the name was typed with all that is known of it."""
    held = {(one.name or "").casefold(): one for one in base.system.external_datasets}
    return tuple(
        held.get((one.name or "").casefold(), one) if one == Dataset(name=one.name) else one
        for one in typed.system.external_datasets
    )


def _over(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for key, value in over.items():
        held = found.get(key)
        both = isinstance(held, dict) and isinstance(value, Mapping)
        found[key] = _over(held, value) if both and held is not None else value
    return found
