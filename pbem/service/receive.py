"""Taking a mail in: its raw bytes are committed before anybody is told that it was taken.

What lives here: the one function every intake calls. What never may: an answer to the mail, or a look at the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

from pbem.config import Config
from pbem.mail.limits import Limits
from pbem.mail.message import Envelope, Inbound, MailRules
from pbem.mail.parse import Marks, marks_of, read_mail
from pbem.service import attributing, lanes, sender
from pbem.service.books import Books, Host
from pbem.service.door import Offered
from pbem.store import queues

TRUSTED = "host"
"""The source of mails whose From the host vouches for (`deliver --trust-from`)."""


def receive(host: Host, content: bytes, envelope: Envelope, source: str) -> str:
    """Stores a mail and returns once it is committed: "taken", or "repeat" when it was here before.

    A mail that was held for want of proof is "taken" when it comes again with proof. Any exception means
    that it is not stored, and should be offered again.
    """
    return receive_all(host, [(content, envelope, source)])[0]


def receive_all(host: Host, offered: Sequence[Offered]) -> list[str]:
    """As `receive`, for several mails in one transaction: all of them are stored, or none."""
    known = [_known(host, mail) for mail in offered]
    with host.store.transaction():
        return [_taken(host, *each) for each in zip(offered, known, strict=True)]


def _known(host: Host, offered: Offered) -> Marks | Inbound:
    """What tells a mail from all others, and no more of it: the rest is read when it is worked off. Where workers choose
    among lanes, all that its lane is found by."""
    content, envelope, source = offered
    rules = reading_rules(host.config, source)
    return (read_mail if host.store.postgres else marks_of)(content, envelope, rules)


def _taken(host: Host, offered: Offered, known: Marks | Inbound) -> str:
    content, envelope, source = offered
    arrival = queues.Arrival(
        content=content,
        key=known.key,
        letter=known.letter,
        digest=known.digest,
        received=envelope.received,
        sender=envelope.sender,
        recipient=envelope.recipient,
        source=source,
        lane=lanes.lane_of(host, known, envelope.received) if isinstance(known, Inbound) else "",
    )
    accepted = queues.accept(host.store, arrival)
    if not accepted.repeat:
        return "taken"
    again = read_mail(content, envelope, reading_rules(host.config, source))
    proven = again.authenticated is not None and queues.take_held(host.store, accepted.id, arrival)
    return "taken" if proven else "repeat"


def too_early(host: Host, content: bytes, envelope: Envelope, source: str) -> str | None:
    """The game a mail is for, if something has happened in it after the mail is said to have come."""
    inbound = read_mail(content, envelope, reading_rules(host.config, source))
    with host.store.reading():
        who = sender.sender_of(host.store, inbound.authenticated or "")
        token = next(iter(attributing.borne(host, inbound, envelope.received)), None)
        about = token.about if token and token.claim.purpose == "reply" else ""
        game = sender.game_of(host.store, inbound, who, host.config, about)
        late = game is not None and Books(host).state(game).at > envelope.received
    return game if late else None


def reading_rules(config: Config, source: str = "") -> MailRules:
    """What reading a mail that came by `source` depends on."""
    believed = config.identity.believe_from or source == TRUSTED
    trusted = () if _is_from_the_world(config, source) else config.identity.trusted_receivers
    given = config.limits
    limits = Limits(
        mail=given.mail_taken,
        read=given.mail_read,
        text=given.new_text,
        headers=given.headers,
        parts=given.parts,
        depth=given.depth,
    )
    return MailRules(config.mail.addresses, trusted, believed, limits)


def _is_from_the_world(config: Config, source: str) -> bool:
    """Whether somebody else than a mail server of ours may have handed the mail to our listener: then no header of it is
    a receiver's word."""
    way, _, peer = source.partition(" ")
    if way not in ("smtp", "lmtp"):
        return False
    try:
        address = ip_address(peer)
    except ValueError:
        return True
    address = getattr(address, "ipv4_mapped", None) or address
    return not (address.is_loopback or any(address in network for network in config.identity.relays))
