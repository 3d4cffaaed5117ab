"""Data sets in the making: what is read of them."""
