"""What pages and API of both apps share of the web; it imports models and nothing above."""
