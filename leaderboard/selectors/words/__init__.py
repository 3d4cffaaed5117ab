"""Which sound descriptors captions have, by the labels that ACES stored for their words.

Whoever calls has asked ``access.clips_for`` or ``access.analysis_for`` first: all of this
tells of references.
"""
