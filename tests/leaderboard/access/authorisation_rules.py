"""Addresses that the table of authorisation covers by a rule for all below a prefix."""

PREFIXES = {
    # Logging in, signing up, resetting: for anyone by their nature. What allauth serves to
    # those who are logged in is about their own account and asks for the log-in itself.
    "accounts/": "allauth's own, tested there and in test_accounts",
    # Django's admin asks for staff and then for each model's permission.
    "admin/": "test_authorisation asks every list as everyone; test_admin the acts",
}
