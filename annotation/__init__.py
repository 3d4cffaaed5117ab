"""Labelling the words of captions with sound descriptors."""
