"""Writing predictions as the challenge wants to read them."""

from scoring.captions.corpus import Candidates, References
from scoring.captions.layout import PREDICTIONS
from scoring.captions.rows import quote


def write_candidates_csv(candidates: Candidates, references: References) -> str:
    r"""Write candidates, given in the order of the references, as a CSV with \n line ends.

    The columns are ``file_name,caption_predicted``, or ``caption_predicted_1..k``
    where a clip has several candidates (cells after its last are empty).
    Raises ValueError where the two have different numbers of clips.
    """
    width = max((len(ranked) for ranked in candidates.captions), default=1)
    labels = [f"{PREDICTIONS.single[0]}_{number}" for number in range(1, width + 1)]
    header = [PREDICTIONS.names[0], *(labels if width > 1 else PREDICTIONS.single)]
    rows = [
        [name, *ranked, *[""] * (width - len(ranked))]
        for name, ranked in zip(references.file_names, candidates.captions, strict=True)
    ]
    return "".join(",".join(map(_field, row)) + "\n" for row in [header, *rows])


def _field(text: str) -> str:
    """Quote what needs it; csv.writer would leave a lone carriage return bare."""
    return quote(text) if any(mark in text for mark in ',"\r\n') else text


def candidates_template(references: References) -> str:
    """Write the CSV that a participant fills in: every file name, every caption empty."""
    return write_candidates_csv(Candidates.single("" for _ in references.clips), references)
