"""The whole way from recordings to a challenge whose metrics are compared with judges."""
