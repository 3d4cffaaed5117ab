"""Metrics that hear recordings, on the command line: the model and the folder of the sounds."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from scoring.captions import References
from scoring.cli.files import Misuse
from scoring.cli.metric_runs import Parameters
from scoring.recordings import Recordings, folder_recordings
from scoring.registry import FAMILIES, families_of


def add_hearing_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the CLAP model and the recordings of ``clap_score`` and ``mace``."""
    parser.add_argument(
        "--clap",
        metavar="PATH",
        help="CLAP model with which clap_score and mace hear: a folder as transformers stores it",
    )
    parser.add_argument(
        "--recordings",
        metavar="FOLDER",
        help="recordings of the clips for clap_score and mace, each called as its clip",
    )


def hearing(
    parsed: argparse.Namespace, wanted: tuple[str, ...], references: References
) -> tuple[Recordings, Parameters]:
    """The recordings of the clips, and the parameters of each wanted family that hears them.

    Raises ``Misuse`` where only one of model and recordings is given, or none hears them.
    """
    families = _hearing_families(families_of(wanted))
    if parsed.clap is None and parsed.recordings is None:
        return Recordings(), {}
    if not families:
        raise Misuse("None of the metrics asked for hears recordings. Leave --clap out.")
    if not parsed.clap or not parsed.recordings:
        raise Misuse("Give both --clap and --recordings.")
    found = folder_recordings(Path(parsed.recordings), references.file_names)
    own = {"model": parsed.clap, "recordings": found.digest}
    return found, dict.fromkeys(families, own)


def _hearing_families(names: Sequence[str]) -> list[str]:
    return [
        name
        for name in names
        if any(option.names_installed == "clap" for option in FAMILIES[name].options)
    ]
