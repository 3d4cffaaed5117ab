"""Cache on disk of what metric families prepare from references."""

import contextlib
import hashlib
import logging
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scoring.captions import References
from scoring.metrics.family import Arrays, Family
from scoring.signature import signature
from scoring.workspace import Workspace

logger = logging.getLogger(__name__)

_LAYOUT = "4"  # raised when a family changes what it dumps but not its numbers


def prepared_references(family: Family[Any], references: References, workspace: Workspace) -> Any:
    """Prepared references of a family, from the cache where they are there.

    Without ``workspace.cache_dir`` it is prepared anew. A damaged cache file
    counts as absent; a cache that cannot be written is logged and does not
    stop the scoring. Any number of processes may do this at once.
    """
    if workspace.cache_dir is None:
        return family.prepare(references, workspace)
    path = workspace.cache_dir / cache_name(family, references)
    cached = _read(family, path)
    if cached is not None:
        return cached[0]
    fresh = family.prepare(references, workspace)
    try:
        _write(path, family.dump(fresh))
    except OSError:
        logger.warning("Cannot keep prepared references in %s", path, exc_info=True)
    return fresh


def are_prepared(family: Family[Any], references: References, workspace: Workspace) -> bool:
    """Whether the references of a family are in the cache."""
    folder = workspace.cache_dir
    return folder is not None and (folder / cache_name(family, references)).is_file()


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
        return (family.load(arrays),)
    except FileNotFoundError:
        return None
    except (OSError, EOFError, KeyError, ValueError, NotImplementedError, zipfile.BadZipFile):
        logger.warning("Prepared references in %s are damaged; preparing them again", path)
        return None


def _write(path: Path, arrays: Arrays) -> None:
    """Write arrays so that the file is either whole or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(path) as part, part.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Open a new file in the same folder that replaces the path on success."""
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f"{path.stem[:24]}-", suffix=".part", delete=False
    ) as file:
        part = Path(file.name)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
