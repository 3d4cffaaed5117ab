"""Tests of adjudication."""
