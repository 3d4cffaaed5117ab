"""Trainings: starting, claiming, computing, telling and keeping what comes of them."""
