"""Services about ranking: snapshots, and estimates of how certain ranks are."""
