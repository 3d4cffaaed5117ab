"""The starter kit that participants download; its files in ``kit`` are never run by the site."""
