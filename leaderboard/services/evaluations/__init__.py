"""The job engine: states of an evaluation, and one attempt at it."""
