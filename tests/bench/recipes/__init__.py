"""Ways to a better descriptor labeller that were tried beside the product's recipe."""
