"""Reads: what pages, API and tasks ask of the data."""
