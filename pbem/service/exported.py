"""A game in a file: JSON lines, each tied to the line before by a hash, that anybody can check with the file alone.

What lives here: how a line is written and read, and what is checked. What never may: a database, or trust in a file.
A line is one JSON object with sorted keys and no spaces; its `line` is SHA-256 over the `line` before it (64 zeros
before the first), a line feed, and the object without it. So a changed byte is found in its own line. Whoever writes all
lines anew is found by the game's own chain, whose head the pages, and mails to a second holder, have told.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
import json
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from pbem.game import codec
from pbem.game.codec import Record
from pbem.game.fold import replay
from pbem.progress import Progress
from pbem.service import reader
from pbem.service.notdone import NotDone
from pbem.store.carried import Mail, Member, Part, Preferences
from pbem.store.eventlog import Head, Privacy
from pbem.store.people import Invitation

FORMAT: Final = 1
"""The version of this file's shape; a later one is refused."""

Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line: which game, when it was made (UTC µs), how its log ends, whether only what everybody may know
    is in the file, and who may read the game's pages."""

    format: int
    game: str
    created: int
    events: int
    hash: str
    public: bool
    note: str
    privacy: Privacy


@dataclass
class Exported:
    """What a file holds that was found whole. `mails` counts those with their bytes, `erased` those whose author asked
    to be forgotten, `unseen` the mails that the log names and the file does not have."""

    opening: Opening
    records: tuple[Record, ...] = ()
    members: list[Member] = field(default_factory=list)
    invitations: list[Invitation] = field(default_factory=list)
    mails: int = 0
    erased: int = 0
    unseen: int = 0

    @property
    def head(self) -> Head:
        """How the log of the game ends."""
        return Head(self.opening.events, self.opening.hash)


class Writer:
    """Writes lines, each tied to the one before."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.write = write
        self.lines = 0
        self._tie = codec.GENESIS

    def line(self, kind: str, **values: Any) -> None:
        """One line of that kind."""
        said = _canonical({"kind": kind, **values})
        self._tie = _tie(self._tie, said)
        self.lines += 1
        self.write(_canonical({"kind": kind, **values, "line": self._tie}).encode() + b"\n")


def record_line(record: Record) -> dict[str, Any]:
    """A record as a line says it. Raises ValueError for a body that could not be read back to the byte."""
    body = json.loads(record.body)
    if _canonical(body) != record.body:
        raise ValueError(f"record {record.seq} is not canonical JSON")
    values = dataclasses.asdict(record)
    return {"event": values.pop("kind"), **values, "body": body}


def mail_line(mail: Mail) -> dict[str, Any]:
    """A mail as a line says it: its bytes in base64, null when they were erased."""
    content = None if mail.content is None else base64.b64encode(mail.content).decode()
    values = dataclasses.asdict(mail)
    return {"read_as": values.pop("kind"), **values, "content": content}


def lines(file: Path, progress: Progress) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line with its number, found as it was written and in its place, the last one too. Raises NotDone."""
    tie, number, done, size = codec.GENESIS, 0, 0, file.stat().st_size
    found: dict[str, Any] = {}
    with file.open("rb") as opened:
        for number, raw in enumerate(opened, 1):
            if found.get("kind") == "end":
                raise _at(file, number, "stands after the end")
            tie, found = _read(file, number, raw, tie)
            yield number, found
            done += len(raw)
            progress(done, size)
    if found.get("kind") != "end" or found.get("lines") != number - 1:
        raise _at(file, number + 1, "is missing: the file ends before its end")


def _read(file: Path, number: int, raw: bytes, tie: str) -> tuple[str, dict[str, Any]]:
    try:
        found = json.loads(raw)
        given = found.pop("line")
        exact = _canonical({**found, "line": given}).encode() + b"\n" == raw
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        raise _at(file, number, "is no line of an export; it was changed, or this is another file") from None
    if not exact or given != _tie(tie, _canonical(found)):
        raise _at(file, number, "is not as it was written, or a line before it was put in or taken out")
    return str(given), found


def checked(file: Path, progress: Progress) -> Exported:
    """What the file holds, once every line, every link of the game's chain and every mail's digest is found right, and
    replaying the log leads to its end. Raises NotDone naming the line."""
    walk = lines(file, progress)
    _, first = next(walk, (0, {}))
    export = Exported(_opening(file, first))
    records: list[Record] = []
    digests: set[str] = set()
    for number, line in walk:
        try:
            _take(export, records, digests, line)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _at(file, number, f"does not hold what it should ({error})") from error
    export.records = tuple(records)
    _whole(file, export)
    export.unseen = len({record.mail for record in records if record.mail} - digests)
    return export


def _opening(file: Path, first: dict[str, Any]) -> Opening:
    if first.get("kind") != "export":
        raise _at(file, 1, "is not the beginning of an export")
    if first.get("format") != FORMAT:
        raise NotDone(f"{file} has a shape that this version of pbem does not know: use a later one")
    try:
        # Files of before there were private games name none.
        return _made(Opening, {"privacy": "public", **first})
    except (KeyError, TypeError) as error:
        raise _at(file, 1, f"does not hold what it should ({error})") from error


def _take(export: Exported, records: list[Record], digests: set[str], line: dict[str, Any]) -> None:
    match line["kind"]:
        case "event":
            records.append(_record(line, records))
        case "mail":
            mail = mail_of(line)
            digests.add(mail.digest)
            export.mails += mail.content is not None
            export.erased += mail.content is None
        case "person":
            export.members.append(_member(line))
        case "invitation":
            export.invitations.append(_made(Invitation, {**line, "game": export.opening.game}))
        case "end":
            pass
        case other:
            raise ValueError(f"a line of kind {other}")


def _record(line: dict[str, Any], before: list[Record]) -> Record:
    record = _made(Record, {**line, "kind": line["event"], "body": _canonical(line["body"])})
    head = before[-1].hash if before else codec.GENESIS
    linked = codec.link(head, record.seq, record.at, record.mail, record.kind, record.body)
    if record.seq != len(before) + 1 or record.hash != linked:
        raise ValueError(f"event {record.seq} is not the one that was written: the chain breaks there")
    return record


def mail_of(line: dict[str, Any]) -> Mail:
    """The mail of a line, whose bytes have the digest that it names. Raises ValueError, KeyError or TypeError."""
    coded = line["content"]
    try:
        content = None if coded is None else base64.b64decode(coded, validate=True)
    except binascii.Error as error:
        raise ValueError("the mail is not in base64") from error
    if content is not None and hashlib.sha256(content).hexdigest() != line["digest"]:
        raise ValueError("the mail does not have the digest that stands beside it")
    if line["state"] not in ("done", "held"):
        raise ValueError("a mail that is not worked off")
    return _made(Mail, {**line, "kind": line["read_as"], "content": content})


def _member(line: dict[str, Any]) -> Member:
    if not line["addresses"] or not all(isinstance(address, str) for address in line["addresses"]):
        raise ValueError("a person without an address")
    parts = tuple(_made(Part, part) for part in line["parts"])
    return Member(_made(Preferences, line["preferences"]), tuple(line["addresses"]), parts)


def _whole(file: Path, export: Exported) -> None:
    """That the log is whole, and the game is the one that the first line says. Raises NotDone."""
    head, opening = export.head, export.opening
    fault = reader.fault(export.records, head.seq, head.hash)
    if fault is None and replay(export.records).game != opening.game:
        fault = "the log is another game's"
    if fault:
        raise NotDone(f"{file}: {opening.game}: {fault}")


def _made(shape: type[Shape], values: dict[str, Any]) -> Shape:
    """A dataclass from the values of that name. Raises KeyError for one that is missing, TypeError for a wrong kind."""
    hints = typing.get_type_hints(shape)
    for name, hint in hints.items():
        allowed = typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else None
        if (values[name] not in allowed) if allowed else (not isinstance(values[name], hint)):
            raise TypeError(f"{name} is not what it should be")
    return shape(**{name: values[name] for name in hints})


def _at(file: Path, line: int, what: str) -> NotDone:
    return NotDone(f"{file} line {line} {what}")


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _tie(before: str, said: str) -> str:
    return hashlib.sha256(f"{before}\n{said}".encode()).hexdigest()
