"""Who ranks where: the current ranking, its history, its intervals and kept snapshots."""
