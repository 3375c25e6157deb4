"""What a host's command does not do, said in one sentence.

What lives here: the one exception for it. What never may: what was asked for.
"""


class NotDone(Exception):
    """What was asked for is not done, and nothing is changed: the sentence says why, and the cure."""
