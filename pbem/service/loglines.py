"""A line of the log that programs can read: `name=value`, one line for each mail in and out.

What lives here: the shape of such a line. What never may: a token, an address, or what was said at a login.
"""

from __future__ import annotations

import json
import re

from pbem.mail.tokens import hide

_CODED = re.compile(r"\b(?!(?:[A-Z]?[a-z]+|[A-Z]+)\b)[A-Za-z0-9+/]{16,}={0,2}")
"""What may be base64: long, and no word of a language."""
_PLAIN = re.compile(r"[\w.,:/@+-]+")


def line(**values: object) -> str:
    """`mail=3f2a state=done result="1 done, 0 refused"`; what is None or "" is left out."""
    return " ".join(
        f"{name}={_value(str(value))}" for name, value in values.items() if value not in (None, "")
    )


def unsaid(told: str, secret: str) -> str:
    """What a server told us when we logged in, without the secret that we said to it: some servers repeat what they refuse, as it
    was said or in base64."""
    return _CODED.sub("…", told.replace(secret, "…") if secret else told)


def _value(text: str) -> str:
    text = hide(text)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
