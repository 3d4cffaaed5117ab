"""Which files of an archive belong to which system."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from leaderboard.packages.archive import Entry

TABLES = {".csv", ".tsv"}
DOCUMENTS = {".json", ".jsonl"}
YAMLS = {".yaml", ".yml"}
LABEL = re.compile(r"[^\W_][^\s_/]*_[^\s_/]+_task\d+[a-z]?_[1-9]\d?(?!\d)", re.IGNORECASE)
_ENDING = re.compile(
    r"[._\- ](?:outputs?|predictions?|captions?|meta|metadata|(?:technical[._\- ])?report)$",
    re.IGNORECASE,
)
# Captions of another split, which DCASE asks for beside those that are ranked.
_OTHER = re.compile(r"analysis|dev(?:elopment)?|valid(?:ation)?|train", re.IGNORECASE)


@dataclass
class SystemFiles:
    """What belongs to one system."""

    key: str
    captions: list[Entry] = field(default_factory=list)
    metadata: list[Entry] = field(default_factory=list)
    reports: list[Entry] = field(default_factory=list)


def systems_in(entries: Iterable[Entry]) -> list[SystemFiles]:
    """Sort files by system, in the order of their labels; every system has captions."""
    entries = list(entries)
    tables = [entry for entry in entries if entry.suffix in TABLES]
    captions = tables or [entry for entry in entries if entry.suffix in DOCUMENTS]
    found: dict[str, SystemFiles] = {}
    for entry in captions:
        key = key_of(entry)
        found.setdefault(key.casefold(), SystemFiles(key)).captions.append(entry)
    metadata = [entry for entry in entries if entry.suffix in YAMLS]
    reports = [entry for entry in entries if entry.suffix == ".pdf"]
    for system in found.values():
        alone = len(found) == 1
        system.metadata = _belonging(system, metadata, share=alone)
        # A team writes one report of all its systems.
        system.reports = _belonging(system, reports, share=True)
    return sorted(found.values(), key=lambda system: system.key.casefold())


def key_of(entry: Entry) -> str:
    """Give the label of a file's system, from its name or its folders, or what is left of its name.

    Where no label of DCASE's form is there, the folder names the system if its
    file has no name but "output".
    """
    for text in (entry.name, *reversed(entry.folders)):
        found = LABEL.search(text)
        if found is not None:
            return found.group()
    stem = _bare(entry.stem)
    if re.fullmatch(r"(?:output|predictions?|captions?|meta|metadata)", stem, re.IGNORECASE):
        return entry.folders[-1] if entry.folders else stem
    return stem


def best_captions(system: SystemFiles) -> list[Entry]:
    """Give the files that may be the captions of a system; one where it is clear which."""
    named = [entry for entry in system.captions if "output" in entry.stem.lower()]
    main = [entry for entry in named or system.captions if not _OTHER.search(_own(entry, system))]
    return main if len(main) == 1 else system.captions


def _own(entry: Entry, system: SystemFiles) -> str:
    """Give what a file's name says beyond the label, in which "dev" may stand by chance."""
    return entry.stem.replace(system.key, "")


def _belonging(system: SystemFiles, entries: list[Entry], *, share: bool) -> list[Entry]:
    own = [entry for entry in entries if key_of(entry).casefold() == system.key.casefold()]
    if own:
        return own
    folders = {entry.folders for entry in system.captions}
    beside = [entry for entry in entries if entry.folders in folders and entry.folders]
    if len(beside) == 1 and not LABEL.search(beside[0].name):
        return beside
    return entries if share else []


def _bare(stem: str) -> str:
    before = None
    while stem != before:
        before, stem = stem, _ENDING.sub("", stem)
    return stem
