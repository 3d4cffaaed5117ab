"""What reads."""
