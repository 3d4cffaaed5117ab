"""Making the models that ship with the library; needs spaCy and torch."""
