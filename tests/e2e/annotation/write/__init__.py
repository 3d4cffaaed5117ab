"""Writing captions for sounds, in a browser."""
