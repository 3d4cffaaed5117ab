"""Files of annotations, read and written; pure functions over plain values."""
