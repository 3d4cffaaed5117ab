"""The pages of organisers, one file per noun."""
