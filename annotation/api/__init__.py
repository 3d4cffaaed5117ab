"""The labelling side of the API."""
