"""Faults on a whole site of real processes: nothing is lost, nothing is stuck.

    python -m tests.chaos [--short] [--only NAME] [--list]

``programs`` and ``site`` run the site, ``hooks`` makes its processes stop at named steps,
``visitors`` ask for something, ``faults`` go wrong, ``invariants`` say what must hold after
each of them, ``table`` prints it.
"""
