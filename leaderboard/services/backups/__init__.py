"""Backups: everything a site stores in one folder, and back into an empty database."""
