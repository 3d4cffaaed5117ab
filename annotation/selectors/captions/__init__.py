"""The captions of a project to be searched: what is known of each, which ones match."""
