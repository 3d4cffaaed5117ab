"""Accounts, teams, notices, tokens."""
