"""The reference program: pycocoevalcap 1.2, which needs Java."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence

from earmark.captions import Candidates, References

# Clip (as its place in the references) to its captions as tokens joined by spaces.
Tokens = Mapping[int, list[str]]
METRICS = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "meteor", "cider_d")


def java_version() -> str | None:
    """The first line of what Java says of itself, or None without Java."""
    java = shutil.which("java")
    if java is None:
        return None
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    return told.stderr.partition("\n")[0] if told.returncode == 0 else None


def java_tokens(captions: Mapping[int, Sequence[str]]) -> Tokens:
    """The tokens of each caption as COCO's evaluation has them."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    wrapped = {clip: [{"caption": text} for text in texts] for clip, texts in captions.items()}
    found: Tokens = PTBTokenizer().tokenize(wrapped)
    return found


def both_tokens(candidates: Candidates, references: References) -> tuple[Tokens, Tokens]:
    """Tokenise both sides, one run of Java for each, as COCO's evaluation does."""
    told = {clip: both.references for clip, both in enumerate(references.clips)}
    said = {clip: [text] for clip, text in enumerate(candidates.first)}
    return java_tokens(said), java_tokens(told)


def coco_scores(candidates: Tokens, references: Tokens) -> dict[str, list[float]]:
    """The scores per clip of pycocoevalcap's four metrics."""
    return {name: per_clip for name, (_, per_clip) in _coco(candidates, references).items()}


def coco_corpus_values(candidates: Tokens, references: Tokens) -> dict[str, float]:
    """The corpus values of pycocoevalcap's four metrics."""
    return {name: value for name, (value, _) in _coco(candidates, references).items()}


def _coco(candidates: Tokens, references: Tokens) -> dict[str, tuple[float, list[float]]]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    bleu = Bleu(4).compute_score(references, candidates, verbose=0)
    others = [made.compute_score(references, candidates) for made in (Rouge(), Meteor(), Cider())]
    found = [*zip(*bleu, strict=True), *others]
    return {
        name: (float(value), [float(score) for score in per_clip])
        for name, (value, per_clip) in zip(METRICS, found, strict=True)
    }
