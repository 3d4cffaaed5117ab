"""Learning the weights of ``earmark`` from people's judgments and from captions made worse.

``altered_captions`` makes captions with one thing wrong, ``part_values`` computes what is
weighed, ``fitting`` learns and validates, ``training`` writes the file of weights.
"""
