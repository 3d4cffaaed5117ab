"""Captions whose tokens hold no-break spaces, as pycocoevalcap 1.2 scores them.

    python -m tests.earmark.oracles.no_break_spaces

writes no_break_spaces.json anew, which needs Java.
"""

import json
from pathlib import Path

from earmark.captions import Candidates, References
from tests.bench.coco import both_tokens, coco_corpus_values, coco_scores

FILE = Path(__file__).with_suffix(".json")
# A caption of each clip, and its references.
CLIPS = {
    "5 1/2 dogs bark in a yard": [
        "A dog barks 5 1/2 times in a yard",
        "5 dogs bark and 1/2 of them howl",
        "dogs bark in a yard",
    ],
    "A phone dials (555) 123-4567 and rings": [
        "someone dials 123-4567 and it rings",
        "A phone dials (555) 123-4567",
        "A telephone rings",
    ],
    "Someone calls 415 555 1234 twice": [
        "Someone calls 415 555-1234 twice",
        "Someone calls 415 555 1234 twice",
        "A person dials 1234",
    ],
    'A voice reads <a href="x y">link</a> aloud': [
        'A voice reads <a href="x y">link</a>',
        "A voice reads link aloud",
        "y is read aloud by a voice",
    ],
    "Rain falls for 2 3/4 minutes": [
        "Rain falls for 2 3/4 minutes",
        "It rains for 2 minutes and 3/4 of another",
        "Rain is falling",
    ],
    "A cat meows": ["A cat is meowing", "A cat meows 1 1/2 times", "The cat meows loudly"],
}


def main() -> None:
    """Score the captions with the reference program, and store what it says."""
    references = References.build(
        (f"{clip}.wav", texts) for clip, texts in enumerate(CLIPS.values())
    )
    tokens = both_tokens(Candidates.single(list(CLIPS)), references)
    told = {"corpus": coco_corpus_values(*tokens), "per_clip": coco_scores(*tokens)}
    FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
