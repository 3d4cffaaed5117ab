"""What the scores of many clips say about one system, two, or a whole phase.

Whoever calls has asked ``access.may_see_clips`` first: scores of single clips tell
of references.
"""
