"""Write what the package bert_score 0.3.13 computes of made-up captions.

    pip install --no-deps --target FOLDER bert-score==0.3.13 matplotlib pandas contourpy cycler \
        fonttools kiwisolver pyparsing pillow python-dateutil six pytz
    PYTHONPATH=FOLDER python -m tests.earmark.oracles.bert_score

One pair at a time: in batches the package fills up the shorter texts, and a word whose cosines are
all below 0 then finds a filler, whose cosine is 0.
"""

import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

from earmark.models.encoder import find_encoder

ORACLE = Path(__file__).with_suffix(".json")
LAYERS = 6  # of the default encoder
BASELINE = "LAYER,P,R,F\n" + "".join(
    f"{layer},{0.1 * layer:.2f},{0.12 * layer:.2f},{0.11 * layer:.2f}\n" for layer in range(7)
)
CAPTIONS = [
    "A dog barks twice.",
    "Rain falls on a tin roof while people talk",
    "A man speaks over a loudspeaker as a crowd cheers in the background",
    "whirring and clanking of an old sewing-machine",
    "birds",
    "Water pours, it pours and pours",
]
REFERENCES = [
    ["A dog barks and a man speaks.", "Two dogs are barking.", "A dog is barking"],
    ["Rain is falling on a metal roof.", "People talk while it rains."],
    ["A crowd cheers for a speaker.", "A person talks through a loudspeaker to a crowd of people."],
    ["A machine whirs and clanks.", "An old machine is running"],
    ["Birds sing in a forest.", "birds"],
    ["Water runs from a tap."],
]
SETTINGS: list[dict[str, Any]] = [
    {"layer": layer, "idf": idf, "rescale": rescale}
    for layer, idf, rescale in [
        (-1, "no", False),
        (-1, "references", False),
        (4, "no", False),
        (4, "references", True),
        (-1, "no", True),
        (0, "references", False),
    ]
]


def main() -> None:
    """Compute and write."""
    package: Any = importlib.import_module("bert_score")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        baseline = Path(folder) / "baseline.tsv"
        baseline.write_text(BASELINE)
        for chosen in SETTINGS:
            _, _, f = package.score(
                CAPTIONS,
                REFERENCES,
                model_type=str(find_encoder().folder),
                num_layers=LAYERS if chosen["layer"] < 0 else chosen["layer"],
                idf=chosen["idf"] == "references",
                batch_size=1,
                device="cpu",
                lang="en",
                rescale_with_baseline=chosen["rescale"],
                baseline_path=str(baseline) if chosen["rescale"] else None,
            )
            rows.append({**chosen, "f": [round(value, 7) for value in f.tolist()]})
    text = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    ORACLE.write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
