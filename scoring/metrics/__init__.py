"""One module per metric family; ``scoring.registry`` names them lazily."""
