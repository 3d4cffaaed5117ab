"""Tests of the list of a project's captions and of what is done to them."""
