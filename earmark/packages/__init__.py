"""Reading uploads: captions, a description of the system, a report; without Django."""
