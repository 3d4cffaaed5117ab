"""Write learned.txt: digests of the captions that the shipped labeller learned from.

    python earmark/resources/descriptors/derive_learned.py DATA

DATA is the folder of the files that MODEL_CARD.md names. Refuses other captions than those
whose hash is in report.json.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
# As in the command by which the labeller was made.
HELPERS_WITHOUT = "clotho_eval"


def main(data: str) -> None:
    """Read, compare the hash, and write."""
    from earmark.train.descriptors import data_hash, read_sets, without_source
    from earmark.train.descriptors.labelled_captions import caption_digests

    sets = read_sets([Path(data)])
    report = json.loads((HERE / "report.json").read_text(encoding="utf-8"))
    if data_hash(sets) != report["data_hash"]:
        sys.exit(f"{data} has other captions than those that the labeller learned from.")
    lines = caption_digests(without_source(sets, HELPERS_WITHOUT))
    (HERE / "learned.txt").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1])
