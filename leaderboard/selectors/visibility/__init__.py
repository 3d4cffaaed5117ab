"""What a reader may see while names are hidden or the ranking is frozen."""
