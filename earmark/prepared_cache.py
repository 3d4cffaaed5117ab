"""Caches, in memory and on disk, of what metric families prepare from references."""

import contextlib
import hashlib
import logging
import os
import zipfile
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from earmark.cache_folder import make_room, replacing
from earmark.captions import References
from earmark.metrics.family import Arrays, Family
from earmark.metrics.joined import JoinedFamily
from earmark.signature import signature
from earmark.workspace import Workspace

logger = logging.getLogger(__name__)

_LAYOUT = "4"  # raised when a family changes what it dumps but not its numbers
# Files that this process used last, as many as the families of a run: they are not removed.
_used: deque[Path] = deque(maxlen=32)


def prepared_references(family: Family[Any], references: References, workspace: Workspace) -> Any:
    """Prepared references of a family, from the caches where they are there.

    First from ``workspace.kept``, then from ``workspace.cache_dir``; without either, or where
    ``workspace.cache_bytes`` is 0, they are prepared anew. Of clips that were chosen from other
    references (``References.chosen_from``) the part of what is kept of all is taken, where the
    family can part it. A damaged cache file counts as absent; a cache that cannot be written is
    logged and does not stop the scoring. Any number of threads and processes may do this at once.
    What several families use is kept once, by the family that prepares it.
    """
    if isinstance(family, JoinedFamily):
        own = family.under_own_name(workspace)
        return tuple(prepared_references(one, references, own) for one in family.prepared_by)
    kept, chosen = workspace.kept, references.chosen_from
    if kept is not None and chosen is not None:
        if not hasattr(family, "chosen"):
            # Not kept: the batches of a training loop would push all else out of the caches.
            return family.prepare(references, workspace)
        whole = prepared_references(family, chosen.references, workspace)
        return family.chosen(whole, chosen.references, chosen.places)
    if kept is None:
        return _from_disk(family, references, workspace)
    return kept.once(
        references.content_hash,
        cache_name(family, references),
        lambda: _from_disk(family, references, workspace),
    )


def _from_disk(family: Family[Any], references: References, workspace: Workspace) -> Any:
    """Prepared references from the disk, or prepared anew and written there."""
    # Each part's file would hold what is counted over all documents once more.
    repeated = workspace.whole is not None and getattr(family, "holds_documents", False)
    if workspace.cache_dir is None or not workspace.cache_bytes or repeated:
        return family.prepare(references, workspace)
    path = workspace.cache_dir / cache_name(family, references)
    cached = _read(family, path)
    if cached is not None:
        return cached[0]
    fresh = family.prepare(references, workspace)
    try:
        _write(path, family.dump(fresh), workspace.cache_bytes)
    except OSError:
        logger.warning("Cannot keep prepared references in %s", path, exc_info=True)
    return fresh


def are_prepared(family: Family[Any], references: References, workspace: Workspace) -> bool:
    """Whether the references of a family are in one of the caches."""
    if isinstance(family, JoinedFamily):
        return all(are_prepared(one, references, workspace) for one in family.prepared_by)
    folder, name = workspace.cache_dir, cache_name(family, references)
    if workspace.kept is not None and workspace.kept.has(references.content_hash, name):
        return True
    return folder is not None and (folder / name).is_file()


def cache_name(family: Family[Any], references: References) -> str:
    """Name the cache file of a family for these references."""
    signed = signature(family.name, family.parameters, references.counts_label, family.revision)
    key = hashlib.sha256(f"{_LAYOUT}\n{references.content_hash}\n{signed}".encode())
    return f"{family.name}-{key.hexdigest()}.npz"


def _read(family: Family[Any], path: Path) -> tuple[Any] | None:
    """Load a cache file (in a tuple, as families may prepare None); None if there is none.

    Every array is read before the family sees any, so that zip's checksums
    have vouched for all bytes.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        prepared = family.load(arrays)
    except FileNotFoundError:
        return None
    except (OSError, EOFError, KeyError, ValueError, NotImplementedError, zipfile.BadZipFile):
        logger.warning("Prepared references in %s are damaged; preparing them again", path)
        return None
    _used.append(path)
    # Others may own the file, or have removed it since.
    with contextlib.suppress(OSError):
        os.utime(path)
    return (prepared,)


def _write(path: Path, arrays: Arrays, most_bytes: int) -> None:
    """Write arrays so that the file is either whole or absent, in place of the oldest files."""
    with replacing(path) as part, part.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    _used.append(path)
    make_room(path, most_bytes, tuple(_used))
