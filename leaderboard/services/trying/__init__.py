"""Trying the metrics on a caption that a reader types; nothing of it is stored."""
