"""Tests of the descriptor labeller and of ACES."""
