"""The command-line client of participants: checking, submitting, following, reading.

It speaks to a server through its API and needs neither Django nor a database.
"""
