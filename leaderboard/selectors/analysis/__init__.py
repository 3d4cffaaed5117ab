"""What the scores of many clips say about one system, two, or a whole phase.

Callers must have checked ``access.may_see_clips``: scores of single clips reveal
references.
"""
