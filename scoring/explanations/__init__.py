"""What each metric is, with examples computed by the metrics themselves."""
