"""Judgments of people on a phase: taking them, comparing metrics with them, publishing that."""
