"""Services about people: accounts, teams, invitations, notices, tokens."""
