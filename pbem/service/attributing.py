"""Whose a mail is: the tokens it bears checked, From looked up, and the table asked.

What lives here: the way from a mail read to its attribution. What never may: the table itself (mail/attribution.py),
or doing anything with the mail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pbem.mail import tokens
from pbem.mail.attribution import Attribution, Bearer, attribute
from pbem.mail.message import Inbound
from pbem.mail.tokens import Claim, Purpose
from pbem.service.books import Host
from pbem.service.sender import Sender, game_of, games_named, sender_of
from pbem.store import holds, people
from pbem.store.people import Person


@dataclass(frozen=True, slots=True)
class Borne:
    """A token of ours that a mail bears: what it says, what it is about, and whether it still proves anything."""

    claim: Claim
    about: str
    good: bool


@dataclass(frozen=True, slots=True)
class Attributed:
    """What is to be done with a mail; whose it is, or (held) is said to be; which game it is for, if that is known; and
    the owner of a token in it that is not From's."""

    what: Attribution
    sender: Sender
    game: str | None
    owner: Person | None = None


def borne(host: Host, inbound: Inbound, at: int) -> tuple[Borne, ...]:
    """The tokens of ours that the mail bears, those it is addressed to first; forged ones are not among them."""
    return tuple(_checked(host, inbound, at))


def purpose(borne: tuple[Borne, ...]) -> Purpose:
    """What the mail is for, by the first token in it: an ordinary one unless that says otherwise."""
    return borne[0].claim.purpose if borne else "reply"


def attributed(host: Host, inbound: Inbound, borne: tuple[Borne, ...]) -> Attributed:
    """Whose the mail is, by the table."""
    store, claimed = host.store, sender_of(host.store, inbound.author or "")
    replies = [each for each in borne if each.claim.purpose == "reply"]
    good = [each for each in replies if each.good]
    me = claimed.person.id if claimed.person else None
    own = [each for each in good if each.claim.person == me]
    # What proves the sender says the game, too: else a token of one game would let a mail count in another.
    proof = next(iter(own or good), None)
    owner = people.person_by_id(store, proof.claim.person) if proof else None
    is_known = not inbound.munged and (claimed.person is not None or bool(claimed.invitations))
    # Nothing in a stranger's mail is done before the owner of its token has said that it is theirs.
    asked = claimed if is_known or owner is None else sender_of(store, owner.address)
    game = game_of(store, inbound, asked, host.config, next((each.about for each in (*own, *replies)), ""))
    strict = host.config.identity.is_strict(game)
    if inbound.munged:
        what = attribute("list", inbound.proof, "own" if owner else "nobody's")
    elif is_known:
        bearer: Bearer = "own" if own else "another's" if owner else "nobody's"
        what = attribute("known", inbound.proof, bearer, strict=strict)
    else:
        what = attribute("unknown", inbound.proof, "own" if owner else "nobody's")
    return Attributed(what, claimed, game, owner)


def _checked(host: Host, inbound: Inbound, at: int) -> Iterator[Borne]:
    for token in inbound.tokens:
        claim = tokens.read(token)
        for about in _abouts(host, inbound, claim) if claim else ():
            standing = host.keys.check(token, about, at)
            if claim and standing != "forged":
                yield Borne(claim, about, standing == "good")
                break


def _abouts(host: Host, inbound: Inbound, claim: Claim) -> tuple[str, ...]:
    """What a token of that purpose can be about: a reply's is a game, or none; a confirmation's is the held mail. To try
    every game of the host would let each made-up token cost more the more games there are: it is one that the mail names, or
    one in which its person has a part."""
    if claim.purpose == "reply":
        own = people.games_of(host.store, claim.person)
        return tuple(dict.fromkeys(("", *own, *games_named(inbound, host.config))))
    if claim.purpose == "confirm":
        hold = holds.find(host.store, claim.mark)
        return (hold.digest,) if hold else ()
    return ("",)
