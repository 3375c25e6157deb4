"""How a settings file is read: what is given where, what a value may be, and the faults, each with its line.

What lives here: the file's leaves and the variables that override them, readers of values, `Secret`.
What never may: the name of any one setting (config.py), or stopping at the first fault.
"""

from __future__ import annotations

import difflib
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

_PREFIX = "PBEM_"
_NO_SETTINGS = ("PBEM_CONFIG",)


class ConfigError(ValueError):
    """The settings cannot be used. `faults` holds all that is wrong, one sentence each, with its line."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(faults))


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A password or token in a file, read at each use, so that another program may renew it."""

    path: Path

    def reveal(self) -> str:
        """The file's text without its last line end. Raises OSError if it cannot be read."""
        return self.path.read_text("utf-8").rstrip("\r\n")

    def __repr__(self) -> str:
        return "***"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a value's meaning depends on: the folder of the file, and that of the systemd credentials."""

    folder: Path
    credentials: Path | None


Read = Callable[[Any, Surroundings], Any]


def reads(read: Read, unset: str | None = None) -> dict[str, Any]:
    """The metadata of a field: how it is read, and what is read when it is not given."""
    return {"read": read, "unset": unset}


def text(value: Any, _: Surroundings) -> str:
    """A text that is not empty, without the white space around it. Readers raise ValueError."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text")
    return value.strip()


def address(value: Any, around: Surroundings) -> str:
    """A mail address, lower case."""
    mailbox = text(value, around).lower()
    if not re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", mailbox):
        raise ValueError(f"must be a mail address, not {value!r}")
    return mailbox


def list_of(read: Read) -> Read:
    """A list of what `read` reads, as a tuple."""

    def read_list(value: Any, around: Surroundings) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ValueError('must be a list: ["…", "…"]')
        return tuple(read(item, around) for item in value)

    return read_list


def yes_or_no(value: Any, _: Surroundings) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def whole(least: int, most: int) -> Read:
    """A whole number between two, both included."""

    def read_whole(value: Any, _: Surroundings) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {value!r}")
        return value

    return read_whole


def one_of(*words: str) -> Read:
    """One of these words."""

    def read_word(value: Any, _: Surroundings) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}, not {value!r}")
        return str(value)

    return read_word


def encryption(value: Any, around: Surroundings) -> str:
    """How a connection is protected; true and false are understood as tls and none."""
    word = {True: "tls", False: "none"}[value] if isinstance(value, bool) else value
    return str(one_of("auto", "none", "starttls", "tls")(word, around))


def path(value: Any, around: Surroundings) -> Path:
    """A path; a relative one is relative to the settings file."""
    return around.folder / Path(text(value, around)).expanduser()


def command(value: Any, around: Surroundings) -> tuple[str, ...]:
    """A program with its arguments, as one would write them in a terminal. No shell reads them."""
    try:
        return tuple(shlex.split(text(value, around)))
    except ValueError as error:
        raise ValueError(f'must be a command, such as "rsync -a ./ host:/srv/nomic/" ({error})') from None


def secret(value: Any, around: Surroundings) -> Secret:
    """The file that holds a secret: a systemd credential of this name, else a path."""
    name = text(value, around)
    held = around.credentials / name if around.credentials else None
    file = held if held and held.exists() else path(name, around)
    if not file.exists():
        raise ValueError(f"there is no file {file}")
    return Secret(file)


def url(value: Any, around: Surroundings) -> str:
    """An address on the web, ending in a slash."""
    link = text(value, around)
    if not re.match(r"https?://[^\s/]", link):
        raise ValueError(f"must begin with https:// or http://, not {value!r}")
    return link.rstrip("/") + "/"


def database(value: Any, around: Surroundings) -> str:
    """A database's URL; the file of an SQLite one is made absolute."""
    link = text(value, around)
    if link.startswith("postgresql://"):
        return link
    file = link.removeprefix("sqlite:///")
    if file in ("", link):
        raise ValueError("must begin with sqlite:/// or postgresql://")
    return f"sqlite:///{around.folder / file}"


def zone(value: Any, around: Surroundings) -> str:
    """The name of a time zone (IANA)."""
    name = text(value, around)
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        hint = nearest(name, available_timezones())
        raise ValueError(f"there is no zone {name!r}{'; ' if hint else ''}{hint}") from None


def network(value: Any, around: Surroundings) -> IPv4Network | IPv6Network:
    """A network, or one address, by its number."""
    written = text(value, around)
    try:
        return ip_network(written)
    except ValueError:
        raise ValueError(f'{written!r} is no network: write it as "10.1.2.0/24"') from None


def nearest(word: str, known: Iterable[str]) -> str:
    """ "did you mean …?" with the known word nearest to `word`, or ""."""
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


class Given:
    """What the file and the environment give, by dotted place (`intake.imap.0.host`), and the `faults` found.

    Made from a file that may be unreadable or no TOML: then it raises ConfigError at once.
    """

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        try:
            written = file.read_text("utf-8")
            document = tomllib.loads(written)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError((f"{file.name}: {error}",)) from error
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError((f"{file} cannot be read ({error}). `pbem init` writes one.",)) from error
        credentials = environment.get("CREDENTIALS_DIRECTORY")
        self._faults: list[tuple[int, str]] = []
        self._around = Surroundings(file.absolute().parent, Path(credentials) if credentials else None)
        self._name = file.name
        self._lines = _lines(written)
        places = dict(_walk(document, ""))
        self._tables = {place for place, value in places.items() if isinstance(value, dict)}
        self._leaves = {place: value for place, value in places.items() if place not in self._tables}
        self._variables = {
            name.removeprefix(_PREFIX).lower().replace("__", "."): name
            for name in environment
            if name.startswith(_PREFIX) and name not in _NO_SETTINGS
        }
        self._leaves |= {place: environment[name] for place, name in self._variables.items()}

    def sections(self) -> list[str]:
        """The sections that are written or overridden, in order; "" is what stands above the first."""
        return sorted(self._tables | {place.rpartition(".")[0] for place in self._leaves})

    def has(self, section: str, *keys: str) -> list[str]:
        """Those of the keys that are given in a section, be they good or bad."""
        return [key for key in keys if f"{section}.{key}" in self._leaves]

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, one sentence each: first the environment, then the file from top to bottom."""
        return tuple(sentence for _, sentence in sorted(self._faults))

    def fault(self, place: str, what: str) -> None:
        """Note that `what` is wrong with a setting or a section."""
        if place in self._variables:
            self._faults.append((-1, f"{self._variables[place]} in the environment: {what}"))
            return
        section, _, key = (place, "", "") if place in self._tables else place.rpartition(".")
        shown = re.sub(r"\.\d+$", "", section)
        line = self._lines.get(place) or self._lines.get(section, 0)
        where = f"{self._name} line {line}" if line else self._name
        self._faults.append((line, f"{where}: {f'[{shown}] ' if shown else ''}{key}".rstrip() + f": {what}"))

    def values(self, section: str, shape: type[Any]) -> dict[str, Any]:
        """The fields of `shape` as given in `section`, ready to make one; faults are noted, not raised."""
        known = {each.name: each for each in fields(shape) if "read" in each.metadata}
        start = f"{section}." if section else ""
        for place in self._leaves:
            key = place.removeprefix(start)
            if place.startswith(start) and "." not in key and key not in known:
                self.fault(place, nearest(key, known) or "is not a setting")
        return {name: value for name, each in known.items() for value in self._value(start + name, each)}

    def _value(self, place: str, wanted: Field[Any]) -> Iterator[Any]:
        read, unset = wanted.metadata["read"], wanted.metadata["unset"]
        if place not in self._leaves and unset is None:
            if wanted.default is MISSING:
                self.fault(place, "is missing")
            return
        try:
            yield self._read(read, place) if place in self._leaves else read(unset, self._around)
        except ValueError as error:
            self.fault(place, str(error))

    def _read(self, read: Read, place: str) -> Any:
        value = self._leaves[place]
        if place not in self._variables:
            return read(value, self._around)
        try:
            return read(value, self._around)
        except ValueError:
            return read(_as_toml(value), self._around)


def _as_toml(value: str) -> Any:
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value


def _walk(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Every table and every leaf of a TOML document with its place; "" is the document itself."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        inner: Iterable[tuple[Any, Any]] = enumerate(value)
    else:
        yield place, value
        inner = value.items() if isinstance(value, dict) else ()
    for key, item in inner:
        yield from _walk(item, f"{place}.{key}" if place else str(key))


def _lines(written: str) -> dict[str, int]:
    """The line on which each table and key of a TOML text stands (1 is the first)."""
    lines: dict[str, int] = {}
    seen: Counter[str] = Counter()
    section = ""
    for number, line in enumerate(written.splitlines(), 1):
        if table := re.match(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]", line):
            section = f"{table[2]}.{seen[table[2]]}" if table[1] == "[[" else table[2]
            seen[table[2]] += 1
            lines[section] = number
        elif key := re.match(r"\s*([\w.\-]+)\s*=", line):
            lines.setdefault(f"{section}.{key[1]}" if section else key[1], number)
    return lines
