"""The demo challenge: captions of our own making, and the people of the demo."""
