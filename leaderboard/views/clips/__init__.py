"""A system clip by clip: list, one clip, sound, distributions."""
