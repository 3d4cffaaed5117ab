"""What teams submitted: one system, a team's systems, quotas and allowed actions."""
