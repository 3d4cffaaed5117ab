"""A system clip by clip: captions, scores, filters, sorting, sound."""
