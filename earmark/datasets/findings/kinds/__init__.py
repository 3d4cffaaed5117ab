"""Kinds of findings: each module describes one as ``KIND``."""
