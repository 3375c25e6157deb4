"""A line of the log that programs can read: `name=value`, one line for each mail in and out.

What lives here: the shape of such a line. What never may: a token, or an address.
"""

from __future__ import annotations

import json
import re

from pbem.mail.tokens import hide

_PLAIN = re.compile(r"[\w.,:/@+-]+")


def line(**values: object) -> str:
    """`mail=3f2a state=done result="1 done, 0 refused"`; what is None or "" is left out."""
    return " ".join(
        f"{name}={_value(str(value))}" for name, value in values.items() if value not in (None, "")
    )


def _value(text: str) -> str:
    text = hide(text)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
