"""Finding the clip that a recording is of."""

import re
from collections import Counter
from collections.abc import Sequence

from scoring.captions.names import ClipNames, name_key

_EXTENSION = re.compile(r"\.(wav|flac|mp3|ogg|oga|m4a|mp4|opus)$", re.IGNORECASE)


def _bare(name: str) -> str:
    return _EXTENSION.sub("", name_key(name))


class Clips:
    """The clips of a reference set by name, as people write names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ClipNames(names)
        bare = [_bare(name) for name in names]
        often = Counter(bare)
        # Recordings are often converted, so that only the extension differs.
        self._bare = {name: at for at, name in enumerate(bare) if often[name] == 1}

    def find(self, names: Sequence[str]) -> int | None:
        """Give the position of the clip that has one of these names, folders put aside."""
        for name in names:
            for told in (name, re.split(r"[/\\]", name)[-1]):
                at = self._names.find(told)
                at = self._bare.get(_bare(told)) if at is None else at
                if at is not None:
                    return at
        return None
