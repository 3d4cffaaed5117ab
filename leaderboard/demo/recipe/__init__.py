"""How the files in ``leaderboard/demo/data`` come from the made sounds.

``python -m leaderboard.demo.recipe`` writes them anew; a test checks that they are what it writes.
"""
