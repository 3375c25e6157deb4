"""Looking without touching: how a mail would be read, and whether a log is whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal

from pbem.config import Config
from pbem.game import codec
from pbem.game.codec import Record
from pbem.game.commands import Check, Command, Propose, Revise
from pbem.game.fold import replay
from pbem.game.model import Problem
from pbem.mail.compose import thread_of
from pbem.mail.evidence import Step, read_with_evidence
from pbem.mail.grammar import read_commands
from pbem.mail.message import Cut, Envelope, Inbound
from pbem.mail.phrasing import canonical, phrase
from pbem.mail.proposal_text import end_of_text
from pbem.mail.readings import Reading, Understood
from pbem.mail.tokens import hide
from pbem.service.receive import reading_rules
from pbem.service.sender import games_named

Outcome = Literal["understood", "asked back", "text", "posted"]
"""What becomes of a line: a command; a question to its writer; the text of the command above; words to the others."""


def explain(content: bytes, envelope: Envelope, config: Config, source: str = "") -> dict[str, Any]:
    """The whole reading of a mail that came by `source`, as `pbem explain --json` gives it. Needs no database, so a game
    is known only where the mail itself names it. No token is left in it."""
    explained = _explained(content, envelope, config, source)
    return {name: _without_tokens(value) for name, value in explained.items()}


def _without_tokens(value: Any) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {name: _without_tokens(each) for name, each in value.items()}
    return [_without_tokens(each) for each in value] if isinstance(value, list | tuple) else value


def _explained(content: bytes, envelope: Envelope, config: Config, source: str) -> dict[str, Any]:
    inbound, steps = read_with_evidence(content, envelope, reading_rules(config, source))
    human = inbound.kind == "human"
    reading = read_commands(inbound.text or "", inbound.subject_core) if human else Reading((), "")
    game = _game(inbound, config)
    return {
        "kind": inbound.kind,
        "because": inbound.because,
        "sender": inbound.authenticated if human else None,
        "claimed": inbound.claimed,
        "held": _held(inbound),
        "subject": inbound.subject,
        "subject_core": inbound.subject_core,
        "text": inbound.text if human else None,
        "game": game,
        "commands": [_command(line) for line in reading.commands],
        "problems": [_problem(line) for line in reading.problems],
        "steps": [asdict(step) for step in (*steps, _game_step(game, inbound, config))],
        "left_out": [_left_out(cut) for cut in inbound.cuts],
        "lines": list(_lines(inbound.text or "", reading)),
        "notes": list(inbound.notes),
    }


def _left_out(cut: Cut) -> dict[str, Any]:
    return {"above": cut.above, "row": cut.row, "why": cut.why, "rows": len(cut.rows)}


def _held(inbound: Inbound) -> str | None:
    if inbound.kind != "human" or inbound.authenticated is not None:
        return None
    return f"nothing proves who wrote it: {inbound.shows}"


def _game(inbound: Inbound, config: Config) -> str | None:
    """The game the mail names. Mails of no game are tagged with the host's name, which is none."""
    return next((name for name in games_named(inbound, config) if name != config.mail.name.casefold()), None)


def _game_step(game: str | None, inbound: Inbound, config: Config) -> Step:
    if game is None:
        return Step("game", "–", "the mail names none; it is the only one its sender is in, if there is one")
    tagged = next((to for to in inbound.recipients if to.partition("@")[0].endswith(f"+{game}")), None)
    answered = thread_of(inbound.answers, (config.mail.domain,))
    if tagged:
        return Step("game", game, f"the tag of {tagged}")
    if answered is not None and answered.game == game:
        return Step("game", game, f"it answers a mail of ours about {answered.about}")
    return Step("game", game, f"[{game}] in its subject")


def _lines(text: str, reading: Reading) -> Iterator[dict[str, Any]]:
    """Each line of the new text that is not empty, and what becomes of it. The subject, where it is read, is line 0."""
    read = {line.line: line for line in reading.lines}
    if 0 in read:
        yield {"line": 0, "said": read[0].said, "outcome": _outcome(read[0])}
    rows = text.split("\n")
    text_until = 0
    for number, row in enumerate(rows, 1):
        found = read.get(number)
        if found is not None:
            text_until = end_of_text(rows, number) + 1 if _takes_text(found) else 0
        if row.strip():
            outcome = _outcome(found) if found else "text" if number <= text_until else "posted"
            yield {"line": number, "said": row.strip(), "outcome": outcome}


def _outcome(line: Understood | Problem) -> Outcome:
    return "understood" if isinstance(line, Understood) else "asked back"


def _takes_text(line: Understood | Problem) -> bool:
    """Whether the lines below are the text of this one."""
    asked: list[Command | str] = [line.command] if isinstance(line, Understood) else list(line.cure)
    inner = [command.proposal if isinstance(command, Check) else command for command in asked]
    return any(isinstance(command, Propose | Revise) and command.text for command in inner)


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
    try:
        state = replay(records)
    except Exception as error:  # whoever forges a whole chain can write anything into it
        return f"the log cannot be replayed ({type(error).__name__}: {error})"
    return None if state.seq == seq else "replaying the log does not lead to the last record"
