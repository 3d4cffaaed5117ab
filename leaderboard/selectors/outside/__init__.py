"""Judges from elsewhere: the models that an installation has, what a phase uses, what it costs."""
