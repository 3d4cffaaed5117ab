"""Services about submissions: accepting, describing and withdrawing them."""
