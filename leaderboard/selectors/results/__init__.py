"""All results of a challenge as one file."""
