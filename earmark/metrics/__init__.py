"""One module per metric family; ``earmark.registry`` names them lazily."""
