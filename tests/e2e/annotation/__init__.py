"""The labelling app in a real browser."""
