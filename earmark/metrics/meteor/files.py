"""METEOR's data files, as the pycocoevalcap wheel ships them."""

import importlib.util
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from earmark.errors import ResourceMissing

Packed = NDArray[np.uint8]


class MeteorFilesMissing(ResourceMissing):
    """The word lists or the paraphrase table of METEOR are not on this machine."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"METEOR needs {what} from the package pycocoevalcap: pip install pycocoevalcap==1.2"
        )
        self.what = what


@cache
def folder() -> Path:
    """Find the folder of METEOR's files without importing pycocoevalcap (which wants Java)."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(location) / "meteor"
        if path.is_dir():
            return path
    raise MeteorFilesMissing("its data files")


def paraphrase_path() -> Path:
    """Locate the English paraphrase table (gzip)."""
    path = folder() / "data" / "paraphrase-en.gz"
    if not path.is_file():
        raise MeteorFilesMissing(path.name)
    return path


def read_lists(*names: str) -> list[list[str]]:
    """Read word lists, as lines, out of METEOR's jar (a zip file)."""
    path = folder() / "meteor-1.5.jar"
    try:
        with zipfile.ZipFile(path) as jar:
            return [jar.read(name).decode("utf-8").split("\n") for name in names]
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise MeteorFilesMissing(path.name) from error


def pack(lines: Sequence[str]) -> Packed:
    """Turn strings without line breaks into UTF-8 bytes, for caches without pickle."""
    return np.frombuffer("\n".join(lines).encode("utf-8", "surrogatepass"), np.uint8)


def unpack(packed: Packed, count: int) -> list[str]:
    """Read what ``pack`` wrote, knowing how many strings there were."""
    if not count:
        return []
    return packed.tobytes().decode("utf-8", "surrogatepass").split("\n")
