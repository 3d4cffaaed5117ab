"""Data sets in the making: what changes them."""
