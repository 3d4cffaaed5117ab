"""The challenge app in a real browser."""
