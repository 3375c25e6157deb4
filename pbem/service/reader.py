"""Looking without touching: how a mail would be read, and whether a log is whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.config import Config
from pbem.game import codec
from pbem.game.codec import Record
from pbem.game.fold import replay
from pbem.game.model import Problem
from pbem.mail.acts import canonical, phrase
from pbem.mail.grammar import Reading, Understood, read_commands
from pbem.mail.message import Envelope, Inbound
from pbem.mail.parse import read_mail
from pbem.service.receive import reading_rules
from pbem.service.sender import games_named


def explain(content: bytes, envelope: Envelope, config: Config) -> dict[str, Any]:
    """The whole reading of a mail, as `pbem explain --json` gives it. Needs no database, so a game is known
    only where the mail itself names it."""
    inbound = read_mail(content, envelope, reading_rules(config))
    human = inbound.kind == "human"
    reading = read_commands(inbound.text or "", inbound.subject_core) if human else Reading((), "")
    return {
        "kind": inbound.kind,
        "because": inbound.because,
        "sender": inbound.authenticated if human else None,
        "claimed": inbound.claimed,
        "held": _held(inbound),
        "subject": inbound.subject,
        "subject_core": inbound.subject_core,
        "text": inbound.text if human else None,
        "game": _game(inbound, config),
        "commands": [_command(line) for line in reading.commands],
        "problems": [_problem(line) for line in reading.problems],
    }


def _held(inbound: Inbound) -> str | None:
    if inbound.kind != "human" or inbound.authenticated is not None:
        return None
    return "nothing proves who wrote it: no trusted receiver vouches for the From address"


def _game(inbound: Inbound, config: Config) -> str | None:
    """The game the mail names. Mails of no game are tagged with the host's name, which is none."""
    return next((name for name in games_named(inbound, config) if name != config.mail.name.casefold()), None)


def _command(line: Understood) -> dict[str, Any]:
    return {"line": line.line, "said": line.said, "understood": canonical(line.command)}


def _problem(problem: Problem) -> dict[str, Any]:
    cure = [each if isinstance(each, str) else phrase(each, "en") for each in problem.cure]
    return {"line": problem.line, "said": problem.said, "why": str(problem.why), "try": "\n".join(cure)}


def fault(records: Sequence[Record], seq: int, head: str) -> str | None:
    """What is wrong with a log whose last record should be number `seq` with hash `head`; None if it is whole."""
    previous = codec.GENESIS
    for place, record in enumerate(records, 1):
        linked = codec.link(previous, record.seq, record.at, record.mail, record.kind, record.body)
        if record.seq != place or record.hash != linked:
            return f"record {record.seq} is not the one that was written: the chain breaks there"
        previous = record.hash
    if (len(records), previous) != (seq, head):
        return f"the log ends at record {len(records)}, and record {seq} was the last one written"
    state = replay(records)
    return None if state.seq == seq else "replaying the log does not lead to the last record"
