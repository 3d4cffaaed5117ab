"""What was said of pairs of captions, and what it says of systems, judges and metrics."""
