"""The settings of a host: read once, from pbem.toml and the environment, into frozen values.

What lives here: their shapes and what they must agree on. `ConfigError` gathers all faults.
What never may: opening a database, a connection or a secret (a `Secret` is read where it is used).

A variable named `PBEM_` and the setting's path joined by `__`, all capitals, overrides the file:
`PBEM_DATABASE`, `PBEM_MAIL__ADDRESS`, `PBEM_INTAKE__IMAP__0__HOST` (the first IMAP account). Text
stands as it is; numbers, true/false and lists are written as in the file. `PBEM_CONFIG` names the
file itself. Secrets are never settings: a setting names the file that holds one, looked for among
the systemd credentials first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any, Final, Literal

from pbem import settings
from pbem.settings import ConfigError, Given, Secret, reads

__all__ = ["SAMPLE", "Config", "ConfigError", "Secret", "load"]

SAMPLE: Final = (Path(__file__).parent / "sample.toml").read_text("utf-8")
"""The commented pbem.toml that `pbem init` writes."""

Encryption = Literal["none", "starttls", "tls"]

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PORTS_OF_TLS = (465, 993)


@dataclass(frozen=True, slots=True)
class Mail:
    """Where players write, lower case. Tags (`name+tag@…`) of all these addresses are ours too. `operator` is where the
    host is told of what is theirs to see to (None: nowhere)."""

    address: str = field(metadata=reads(settings.address))
    other_addresses: tuple[str, ...] = field(default=(), metadata=reads(settings.list_of(settings.address)))
    name: str = field(default="Nomic", metadata=reads(settings.text))
    operator: str | None = field(default=None, metadata=reads(settings.address))

    @property
    def addresses(self) -> tuple[str, ...]:
        """All our addresses, the one players write to first."""
        return (self.address, *self.other_addresses)

    @property
    def domain(self) -> str:
        """The domain of the address players write to."""
        return self.address.rpartition("@")[2]


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose Authentication-Results (RFC 8601) count, from which networks besides this machine our listener believes
    them, whether From is believed without them, the games in which a token does not stand in for them ("*" for
    all), and the file of the host's secrets."""

    key: Path = field(metadata=reads(settings.path, unset="pbem.key"))
    trusted_receivers: tuple[str, ...] = field(default=(), metadata=reads(settings.list_of(settings.text)))
    relays: tuple[IPv4Network | IPv6Network, ...] = field(
        default=(), metadata=reads(settings.list_of(settings.network))
    )
    believe_from: bool = field(default=False, metadata=reads(settings.yes_or_no))
    strict_games: tuple[str, ...] = field(default=(), metadata=reads(settings.list_of(settings.text)))

    def is_strict(self, game: str | None) -> bool:
        """Whether a mail for the game needs the word of a trusted receiver, or a confirmation, whatever it bears."""
        return "*" in self.strict_games or game in self.strict_games


@dataclass(frozen=True, slots=True)
class Site:
    """The folder pages are published in, the address they are read at ("" or ending in a slash), the port of this
    machine where `pbem serve` shows them (0: nowhere), and the command to run after publishing (empty: none)."""

    folder: Path = field(metadata=reads(settings.path, unset="site"))
    url: str = field(default="", metadata=reads(settings.url))
    preview: int = field(default=0, metadata=reads(settings.whole(0, 65535)))
    after: tuple[str, ...] = field(default=(), metadata=reads(settings.command))


@dataclass(frozen=True, slots=True)
class SmtpIntake:
    """A listener. Port 0 takes a free one; `hostname` is what it calls itself ("" for the domain of our address)."""

    host: str = field(default="127.0.0.1", metadata=reads(settings.text))
    port: int = field(default=8025, metadata=reads(settings.whole(0, 65535)))
    protocol: Literal["smtp", "lmtp"] = field(default="smtp", metadata=reads(settings.one_of("smtp", "lmtp")))
    hostname: str = field(default="", metadata=reads(settings.text))


@dataclass(frozen=True, slots=True)
class ImapIntake:
    """A mailbox read over IMAP. `oauth2` is a file with a current access token; `processed` a folder to
    move mails to once they are stored (without it they are marked read); `poll` the seconds between looks."""

    host: str = field(metadata=reads(settings.text))
    user: str = field(metadata=reads(settings.text))
    port: int = field(default=993, metadata=reads(settings.whole(1, 65535)))
    tls: Literal["auto", "none", "starttls", "tls"] = field(
        default="auto", metadata=reads(settings.encryption)
    )
    password_file: Secret | None = field(default=None, metadata=reads(settings.secret))
    oauth2: Secret | None = field(default=None, metadata=reads(settings.secret))
    folder: str = field(default="INBOX", metadata=reads(settings.text))
    processed: str | None = field(default=None, metadata=reads(settings.text))
    poll: int = field(default=300, metadata=reads(settings.whole(1, 86400)))

    @property
    def encryption(self) -> Encryption:
        """How the connection is protected, "auto" worked out."""
        return _encryption(self.tls, self.host, self.port)


@dataclass(frozen=True, slots=True)
class MaildirIntake:
    """A Maildir that the MTA delivers into."""

    folder: Path = field(metadata=reads(settings.path))


@dataclass(frozen=True, slots=True)
class SmtpDelivery:
    """The smart host that carries our mail. `oauth2` is a file with a current access token."""

    host: str = field(metadata=reads(settings.text))
    port: int = field(default=587, metadata=reads(settings.whole(1, 65535)))
    tls: Literal["auto", "none", "starttls", "tls"] = field(
        default="auto", metadata=reads(settings.encryption)
    )
    user: str | None = field(default=None, metadata=reads(settings.text))
    password_file: Secret | None = field(default=None, metadata=reads(settings.secret))
    oauth2: Secret | None = field(default=None, metadata=reads(settings.secret))

    @property
    def encryption(self) -> Encryption:
        """How the connection is protected, "auto" worked out."""
        return _encryption(self.tls, self.host, self.port)


@dataclass(frozen=True, slots=True)
class MaildirDelivery:
    """A folder with a Maildir for each recipient, in place of sending."""

    folder: Path = field(metadata=reads(settings.path, unset="mail"))


@dataclass(frozen=True, slots=True)
class Limits:
    """What one mail, one listener and one address may ask of us: bytes, counts, seconds."""

    mail_taken: int = field(default=1_000_000, metadata=reads(settings.whole(10_000, 50_000_000)))
    mail_read: int = field(default=262_144, metadata=reads(settings.whole(10_000, 50_000_000)))
    new_text: int = field(default=65_536, metadata=reads(settings.whole(1_000, 10_000_000)))
    parts: int = field(default=50, metadata=reads(settings.whole(1, 1_000)))
    depth: int = field(default=8, metadata=reads(settings.whole(1, 50)))
    headers: int = field(default=200, metadata=reads(settings.whole(10, 5_000)))
    rule_text: int = field(default=16_384, metadata=reads(settings.whole(100, 1_000_000)))
    clause_text: int = field(default=2_000, metadata=reads(settings.whole(10, 2_000)))
    commands: int = field(default=200, metadata=reads(settings.whole(1, 200)))
    answers_a_day: int = field(default=3, metadata=reads(settings.whole(0, 1_000)))
    bounces: int = field(default=5, metadata=reads(settings.whole(1, 1_000)))
    connections: int = field(default=100, metadata=reads(settings.whole(1, 10_000)))
    connections_an_address: int = field(default=10, metadata=reads(settings.whole(1, 10_000)))
    session_seconds: int = field(default=600, metadata=reads(settings.whole(1, 86_400)))


@dataclass(frozen=True, slots=True)
class Log:
    """Who gets the end of each game's log by mail once a day, so that the host cannot rewrite it unseen (None: nobody)."""

    second_holder: str | None = field(default=None, metadata=reads(settings.address))


@dataclass(frozen=True, slots=True)
class Intake:
    """The ways mail comes in; none of them is needed (`pbem deliver` always works)."""

    smtp: SmtpIntake | None
    imap: tuple[ImapIntake, ...]
    maildir: MaildirIntake | None


@dataclass(frozen=True, slots=True)
class Config:
    """All settings; every path in them is absolute. `database` is a URL (not shown, as it may hold a
    password), `zone` the IANA zone that times are shown in until a reader sets another."""

    path: Path
    database: str = field(repr=False, metadata=reads(settings.database, unset="sqlite:///pbem.db"))
    zone: str = field(metadata=reads(settings.zone, unset="UTC"))
    mail: Mail
    identity: Identity
    site: Site
    intake: Intake
    delivery: SmtpDelivery | MaildirDelivery
    limits: Limits
    log: Log


@dataclass(frozen=True, slots=True)
class _Nothing:
    """A table that holds other tables and no setting of its own."""


_SHAPES: Final[Mapping[str, type[Any]]] = {
    "mail": Mail,
    "identity": Identity,
    "site": Site,
    "intake": _Nothing,
    "intake.smtp": SmtpIntake,
    "intake.imap": ImapIntake,
    "intake.maildir": MaildirIntake,
    "delivery": _Nothing,
    "delivery.smtp": SmtpDelivery,
    "delivery.maildir": MaildirDelivery,
    "limits": Limits,
    "log": Log,
}
_ALWAYS = ("mail", "identity", "site", "limits", "log")


def load(path: Path, environment: Mapping[str, str]) -> Config:
    """The settings in the file at `path`, as overridden by `environment` (see the head of this file).

    Relative paths in it are relative to its folder. Raises ConfigError with every fault at once.
    """
    given = Given(path, environment)
    top = given.values("", Config)
    sections = {section: given.values(section, shape) for section, shape in _sections(given)}
    _compare(given, sections)
    _must_be_the_hosts_own(given, sections["mail"])
    if given.faults:
        raise ConfigError(given.faults)
    made = {section: _SHAPES[_kind(section)](**values) for section, values in sections.items()}
    return Config(
        path=path.absolute(),
        **top,
        **{name: made[name] for name in _ALWAYS},
        intake=Intake(
            smtp=made.get("intake.smtp"),
            imap=tuple(each for each in made.values() if isinstance(each, ImapIntake)),
            maildir=made.get("intake.maildir"),
        ),
        delivery=made.get("delivery.smtp") or made["delivery.maildir"],
    )


def _kind(section: str) -> str:
    """The name in `_SHAPES` of a section; only IMAP accounts are numbered."""
    return re.sub(r"^(intake\.imap)\.\d+$", r"\1", section)


def _sections(given: Given) -> Iterator[tuple[str, type[Any]]]:
    """The sections to be made: those that always are there, and those that are given."""
    written = [section for section in given.sections() if section]
    usual = () if "delivery.smtp" in written else ("delivery.maildir",)
    for section in dict.fromkeys((*_ALWAYS, *usual, *written)):
        if shape := _SHAPES.get(_kind(section)):
            yield section, shape
        else:
            given.fault(section, settings.nearest(section, _SHAPES) or "is not a section")


def _compare(given: Given, sections: Collection[str]) -> None:
    """Note what no single setting shows: two that exclude, or that need, one another."""
    for section in sections:
        if _kind(section) == "intake.imap" and len(given.has(section, "password_file", "oauth2")) != 1:
            given.fault(section, "needs either password_file or oauth2")
        if section == "delivery.smtp" and len(given.has(section, "password_file", "oauth2")) != len(
            given.has(section, "user")
        ):
            given.fault(section, "user goes together with either password_file or oauth2")
        if section == "delivery.maildir" and "delivery.smtp" in sections:
            given.fault(section, "mail goes out one way only: leave out this section or [delivery.smtp]")


def _must_be_the_hosts_own(given: Given, mail: Mapping[str, Any]) -> None:
    """A mail of ours to ourselves would be told to nobody."""
    ours = (mail.get("address"), *(mail.get("other_addresses") or ()))
    if mail.get("operator") in {each for each in ours if each}:
        given.fault("mail", "operator must be an address of your own, not one that players write to")


def _encryption(tls: str, host: str, port: int) -> Encryption:
    match tls:
        case "none" | "starttls" | "tls":
            return tls
    if host in _LOOPBACK:
        return "none"
    return "tls" if port in _PORTS_OF_TLS else "starttls"
