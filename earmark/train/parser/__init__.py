"""Tuning the dependency parser on the language of captions."""
