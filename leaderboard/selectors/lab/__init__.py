"""The ranking lab: what the ranking of a phase would be under other rules; nothing is written."""
