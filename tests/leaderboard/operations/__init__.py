"""Tests of what who runs the site is told."""
