"""What organisers see: challenges, submissions, rescorings, the audit log."""
