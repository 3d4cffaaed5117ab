"""Prodigy's hashes of a task: signed 32 bits, murmurhash 3.

The input hash is that of ``text=`` and the text as ASCII JSON; the task hash that of
the input hash in decimals and the same of ``spans``, which are empty where labelling
starts from nothing. So do records that Prodigy wrote and people published
(tests/annotation/test_formats_prodigy.py has some).
"""

import json

from murmurhash import hash as murmurhash


def input_hash(text: str) -> int:
    """Hash a text as Prodigy does."""
    return int(murmurhash("text=" + json.dumps(text)))


def task_hash(of_input: int) -> int:
    """Hash the task of labelling an input from nothing."""
    return int(murmurhash(f"{of_input}spans=[]"))
