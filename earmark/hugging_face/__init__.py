"""Earmark's metrics as a module of Hugging Face's package evaluate.

``evaluate.load(MODULE, "dcase2024").compute(predictions=captions, references=references)``
gives the corpus values that ``earmark.score`` gives.
"""

from pathlib import Path

# What ``evaluate.load`` takes: it imports the file, which needs the package evaluate.
MODULE = str(Path(__file__).with_name("earmark.py"))
