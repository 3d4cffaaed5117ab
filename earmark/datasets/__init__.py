"""Making and describing data sets of captions; knows files and numbers, nothing of the web."""
