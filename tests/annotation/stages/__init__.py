"""Stages of collecting captions: projects that feed each other."""
