"""How far the scoring of a submission is, and how long it will still take."""
