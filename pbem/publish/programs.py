"""The game for programs: `game.json`, in the shape of `pbem state GAME --json`, with nothing that is still secret."""

from __future__ import annotations

import json

from pbem.game import views
from pbem.publish.page import Page
from pbem.publish.press import Press


def page(press: Press, head: str) -> Page:
    """The state as everyone may see it. Its hash is kept back while a secret vote runs (see `log`)."""
    state = press.state

    def made() -> bytes:
        public = views.public_json(state, None if views.hidden_votes(state) else head)
        return (json.dumps(public, ensure_ascii=False, indent=1) + "\n").encode()

    return Page("game.json", (press.frame, state.seq), made)
