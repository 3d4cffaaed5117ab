"""What work in the background has in common; both apps build on it."""
