"""Accounts, teams, notices, and all that belongs to one person."""
