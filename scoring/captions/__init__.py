"""References and candidates: what they are, and how they are read and validated."""

from scoring.captions.candidates import read_candidates
from scoring.captions.corpus import Candidates, Clip, References
from scoring.captions.faults import Fault, Reading
from scoring.captions.limits import Limits
from scoring.captions.references import read_references
from scoring.captions.writing import candidates_template, write_candidates_csv

__all__ = [
    "Candidates",
    "Clip",
    "Fault",
    "Limits",
    "Reading",
    "References",
    "candidates_template",
    "read_candidates",
    "read_references",
    "write_candidates_csv",
]
