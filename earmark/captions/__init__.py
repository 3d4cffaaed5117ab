"""References and candidates: what they are, and how they are read and validated."""

from earmark.captions.candidates import read_candidates
from earmark.captions.corpus import Candidates, Clip, References
from earmark.captions.csv_rows import candidates_template, write_candidates_csv
from earmark.captions.faults import Fault, ReadResult
from earmark.captions.file_layout import Limits
from earmark.captions.references import read_references

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
