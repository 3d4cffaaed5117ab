"""What the labelling side of the API takes and gives."""
