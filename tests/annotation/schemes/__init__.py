"""Tests of label schemes of one's own."""
