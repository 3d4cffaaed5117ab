"""What participants hand in: captions, a description of the system, a report; pure, no Django."""
