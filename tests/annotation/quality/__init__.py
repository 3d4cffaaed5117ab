"""Quality while people label."""
