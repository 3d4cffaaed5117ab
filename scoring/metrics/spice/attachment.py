"""Where SPICE's own parser hangs a phrase and ours hangs it elsewhere.

Seen in the trees that were published with SPICE+ for ten clips.
"""

from dataclasses import replace

from scoring.text.parse import Parse, ParsedToken


def attached_low(parse: Parse) -> Parse:
    """Hang a second prepositional phrase of a verb on the noun of the first.

    "walks on a path at a steady pace": the pace is the path's. Only where the
    second follows that noun at once.
    """
    tokens = list(parse)
    for i, token in enumerate(tokens):
        verb = tokens[token.head].tag.startswith("VB") and token.head < i
        if token.dep == "prep" and verb and _ends_phrase(tokens, i - 1, token.head):
            tokens[i] = replace(token, head=i - 1)
    return tuple(tokens)


def _ends_phrase(tokens: list[ParsedToken], noun: int, verb: int) -> bool:
    """Say whether a noun is what a preposition of the verb governs."""
    token = tokens[noun]
    preposition = tokens[token.head]
    return (
        token.tag.startswith("NN")
        and token.dep == "pobj"
        and preposition.dep == "prep"
        and preposition.head == verb
    )
