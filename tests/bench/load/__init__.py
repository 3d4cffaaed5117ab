"""Everybody at once on a whole site: `make load`; docs/measurements/scale.md has what came out."""
