"""Recordings of clips: adding, storing and removing them."""
