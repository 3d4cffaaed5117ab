"""Services about visibility: freezing a ranking and revealing it."""
