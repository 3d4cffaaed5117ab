"""Judges from elsewhere: turning them on for a phase, and asking language models."""
