"""One of two processes of torch.distributed that score together; run by test_scorer.py.

``python -m tests.earmark.accumulating_rank FOLDER RANK``: prints what all ranks have together,
what this one collected itself, what they have when only the first rank has a caption, and what
torchmetrics makes of the first.
"""

import sys
from pathlib import Path

from torch import distributed

from earmark.accumulator import ScoreAccumulator
from earmark.torch_metric import CaptionScore
from tests.bench.output import say
from tests.earmark.test_scorer import REFERENCES, SAID

METRICS = ["bleu_4", "rouge_l", "cider_d", "vocab"]
# What each rank sees: the second one has a last batch, the first one two.
SHARES = (slice(0, 2), slice(2, 3))


def main() -> None:
    """Score with the other rank, and print."""
    folder, rank = Path(sys.argv[1]), int(sys.argv[2])
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=len(SHARES)
    )
    accumulator = ScoreAccumulator(METRICS)
    for said, told in zip(SAID[SHARES[rank]], REFERENCES[SHARES[rank]], strict=True):
        accumulator.update([said], [told])
    found = accumulator.compute()
    say(f"{dict(found)} {[len(found.clips), found.per_clip['cider_d'].tolist()]}")
    say(f"own {len(accumulator)}")
    accumulator.reset()
    if rank == 0:
        accumulator.update(SAID[:1], REFERENCES[:1])
    say(str(dict(accumulator.compute())))
    score = CaptionScore("cider_d")
    for said, told in zip(SAID[SHARES[rank]], REFERENCES[SHARES[rank]], strict=True):
        score.update([said], [told])
    say(f"{score.compute():.6f} {score.higher_is_better}")
    score.reset()
    if rank == 0:
        score.update(SAID[:1], REFERENCES[:1])
    say(f"{score.compute():.6f}")
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
