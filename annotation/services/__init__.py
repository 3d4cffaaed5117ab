"""What writes: each function is one action, with its rules."""
