"""Labellers of sound descriptors that this site keeps: where they lie and which is in use."""
