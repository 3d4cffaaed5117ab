"""The leaderboard as a table: its rows, columns, filters and files."""
