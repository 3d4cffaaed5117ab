"""The project's documents, as the site shows them."""
