"""Which sound descriptors captions have, by the labels that ACES stored for their words.

Callers must have checked ``access.clips_for`` or ``access.analysis_for``: all of this
reveals references.
"""
