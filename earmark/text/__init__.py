"""Text processing that metrics share."""
