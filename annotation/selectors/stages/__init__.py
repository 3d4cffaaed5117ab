"""Projects that feed each other: the stages in which captions are written, edited and rated."""
