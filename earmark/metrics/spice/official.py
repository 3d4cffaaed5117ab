"""The original SPICE program, for comparison where it and its models are on a machine.

Nothing of the product needs it: it runs by configuration alone, on Java 8 or
later, from a folder with ``spice-1.0.jar`` (the pycocoevalcap wheel has it) and
``lib/`` with Stanford CoreNLP 3.6.0 and its models (the wheel has neither).
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from earmark.captions import Candidates, References
from earmark.errors import ResourceMissing, ScoringError

_NEEDED = (
    "spice-1.0.jar",
    "lib/stanford-corenlp-3.6.0.jar",
    "lib/stanford-corenlp-3.6.0-models.jar",
)


class OfficialSpiceMissing(ResourceMissing):
    """Java, or a file of the original program, is not on this machine."""

    def __init__(self, folder: Path, missing: Sequence[str]) -> None:
        super().__init__(
            f"The original SPICE cannot run from {folder}: {', '.join(missing)} missing. "
            "Copy spice-1.0.jar and lib/ from pycocoevalcap/spice, add the two jars of Stanford "
            "CoreNLP 3.6.0 to lib/, and install Java."
        )
        self.folder = folder
        self.missing = tuple(missing)


class OfficialSpiceFailed(ScoringError):
    """The original program stopped with an error."""

    def __init__(self, message: str) -> None:
        super().__init__(f"The original SPICE stopped: {message}")


@dataclass(frozen=True, slots=True)
class OfficialSpice:
    """Run the original program from a folder; ``java`` is the command to run Java by."""

    folder: Path
    java: str = "java"
    memory: str = "8G"

    def check(self) -> None:
        """Raise ``OfficialSpiceMissing`` where something that it needs is not there."""
        missing = [name for name in _NEEDED if not (self.folder / name).is_file()]
        if which(self.java) is None:
            missing.append(f"Java ({self.java})")
        if missing:
            raise OfficialSpiceMissing(self.folder, missing)

    def scores(self, candidates: Candidates, references: References) -> list[float]:
        """F per clip by the original, in the order of the references.

        Raises ``OfficialSpiceMissing`` or ``OfficialSpiceFailed``.
        """
        self.check()
        clips = [
            {"image_id": i, "test": text, "refs": list(clip.references)}
            for i, (text, clip) in enumerate(zip(candidates.first, references.clips, strict=True))
        ]
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "in.json", Path(folder) / "out.json"
            source.write_text(json.dumps(clips), encoding="utf-8")
            self._run(source, target)
            rows = json.loads(target.read_text(encoding="utf-8"))
        by_clip = {row["image_id"]: float(row["scores"]["All"]["f"]) for row in rows}
        return [by_clip[i] for i in range(len(clips))]

    def _run(self, source: Path, target: Path) -> None:
        command = [self.java, f"-Xmx{self.memory}", "-jar", "spice-1.0.jar", str(source)]
        command += ["-out", str(target), "-silent"]
        done = subprocess.run(  # noqa: S603 - the command is the organiser's own
            command, cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0 or not target.is_file():
            raise OfficialSpiceFailed(" ".join(done.stderr.split())[:300])
