"""Tricks: captions that help no listener more, and what each metric gives for them.

``captions`` writes them from the captions of an honest system; ``measuring`` scores and keeps them.
"""
