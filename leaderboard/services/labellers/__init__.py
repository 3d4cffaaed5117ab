"""Labellers of sound descriptors: storing them, and choosing the one in use."""
