"""Kinds of work: what is shown of an item, what an answer to it is, how one is checked.

One folder a kind. The engine (assignments, versions, history, the labelling page's journal)
knows a kind by ``registry.kind_named`` alone.
"""
