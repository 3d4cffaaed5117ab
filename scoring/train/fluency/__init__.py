"""Training the fluency detector."""
