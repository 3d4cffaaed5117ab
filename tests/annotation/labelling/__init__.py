"""Tests of labelling."""
