"""What who runs the site wants to know of it: figures, problems."""
