"""What reference programs say of captions of our own, stored so that tests need no Java."""
