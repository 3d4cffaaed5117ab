"""Forms, one module per noun."""
