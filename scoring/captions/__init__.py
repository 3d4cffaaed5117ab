"""References and candidates: what they are, and how they are read and validated."""

from scoring.captions.candidates import read_candidates
from scoring.captions.corpus import Candidates, Clip, References
from scoring.captions.csv_rows import candidates_template, write_candidates_csv
from scoring.captions.faults import Fault, ReadResult
from scoring.captions.file_layout import Limits
from scoring.captions.references import read_references

__all__ = [
    "Candidates",
    "Clip",
    "Fault",
    "Limits",
    "ReadResult",
    "References",
    "candidates_template",
    "read_candidates",
    "read_references",
    "write_candidates_csv",
]
