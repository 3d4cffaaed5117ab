"""Tests of the labelling side."""
