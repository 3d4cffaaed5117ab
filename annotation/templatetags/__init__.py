"""What templates of the labelling side use."""
