"""Facts to JSON and back, and the chain that makes the log tamper-evident.

What lives here: the only code that knows how facts are written, old shapes included. What never may: judgment.
A record's hash is SHA-256 over the hash before it, its number, moment, mail, kind and body.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pbem.game.events import Fact
from pbem.game.model import Say

GENESIS = "0" * 64
"""The hash before the first record of a game."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a game's log. `at` is UTC µs, `mail` the SHA-256 of the raw mail behind it, `body` canonical JSON."""

    seq: int
    at: int
    mail: str | None
    kind: str
    body: str
    hash: str


def kind_of(fact: type[Any]) -> str:
    """`BallotCast` → "ballot cast"."""
    return re.sub(r"(?<!^)([A-Z])", r" \1", fact.__name__).lower()


_FACTS: dict[str, type[Any]] = {kind_of(fact): fact for fact in typing.get_args(Fact)}


def link(previous: str, seq: int, at: int, mail: str | None, kind: str, body: str) -> str:
    """The hash of a record that follows the one whose hash is `previous`."""
    line = f"{previous}\n{seq}\n{at}\n{mail or ''}\n{kind}\n{body}"
    return hashlib.sha256(line.encode()).hexdigest()


def write(facts: Iterable[Fact], *, after: int, head: str, at: int, mail: str | None) -> Iterator[Record]:
    """The records that carry `facts` on from record number `after` whose hash is `head`."""
    for seq, fact in enumerate(facts, after + 1):
        kind, body = kind_of(type(fact)), encode(fact)
        head = link(head, seq, at, mail, kind, body)
        yield Record(seq, at, mail, kind, body, head)


def encode(fact: Fact) -> str:
    """A fact as canonical JSON: keys sorted, no spaces, letters as they are."""
    return json.dumps(_plain(fact), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def decode(record: Record) -> Fact:
    """The fact a record carries. Raises KeyError for a kind this version does not know."""
    shape: Any = _FACTS[record.kind]
    fact: Fact = _reader(shape)(json.loads(record.body))
    return fact


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


Reader = Callable[[Any], Any]


@cache
def _reader(shape: Any) -> Reader:
    """How to read a value of the annotated type `shape` from its JSON; built once a type."""
    if shape is Say:
        return _said
    if dataclasses.is_dataclass(shape):
        return _dataclass_reader(shape)
    origin, inner = typing.get_origin(shape), typing.get_args(shape)
    if origin is tuple:
        return _tuple_reader(inner)
    if origin in (typing.Union, types.UnionType) and type(None) in inner:
        read = _reader(next(part for part in inner if part is not type(None)))
        return lambda value: None if value is None else read(value)
    return lambda value: value


def _said(value: dict[str, Any]) -> Say:
    """A sentence; a fact of it may be a sentence itself."""
    facts = {name: _said(fact) if isinstance(fact, dict) else fact for name, fact in value["facts"].items()}
    return Say(value["text"], facts)


def _dataclass_reader(shape: Any) -> Reader:
    hints = typing.get_type_hints(shape)
    # Fields of plain JSON types are taken as they are: most of a log is these.
    structured = {name: _reader(hint) for name, hint in hints.items() if not _is_plain(hint)}

    def read(value: dict[str, Any]) -> Any:
        for name, read_field in structured.items():
            if name in value:
                value[name] = read_field(value[name])
        return shape(**value)

    return read


def _tuple_reader(inner: tuple[Any, ...]) -> Reader:
    if inner[-1] is Ellipsis:
        read = _reader(inner[0])
        return lambda value: tuple(read(item) for item in value)
    readers = [_reader(part) for part in inner]
    return lambda value: tuple(read(item) for read, item in zip(readers, value, strict=True))


def _is_plain(hint: Any) -> bool:
    parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    return all(
        part in (int, str, bool, type(None)) or typing.get_origin(part) is typing.Literal for part in parts
    )
