"""Submitting a system, its page, what its team decides about it."""
