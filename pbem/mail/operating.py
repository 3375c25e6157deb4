"""Mails to the host's own address: what is the host's to see to, and no keeper's.

What lives here: each matter in words. What never may: when it is told (service/alarms.py), or a player's words: what a
mail says is its game's affair.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game.model import Moment, Say, say
from pbem.mail.notice import Notice


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that is the host's to see to.

    `name` tells it from all others. `what` has happened; `facts` belong to it; `words` are those of the program that
    failed, to the letter ("" for none); `meanwhile` is so until it is seen to; `run` are the lines that show more and
    put it right. `once`: it is told one time, else at most once a day as long as it stands.
    """

    name: str
    subject: Say
    what: Say
    facts: tuple[Say, ...]
    words: str
    meanwhile: Say
    run: tuple[str, ...]
    once: bool = False


def notice(matter: Matter, day: int) -> Notice:
    """The mail about a matter on a day (days since 1970)."""
    key = f"operator:{matter.name}" if matter.once else f"operator:{matter.name}:{day}"
    return Notice(key, "person", "mail/operator.j2", {"matter": matter}, matter.subject, "", "answer")


@dataclass(frozen=True, slots=True)
class Aside:
    """A mail that our code failed on: what `pbem queue` calls it, who is said to have sent it, its Message-ID ("" for none),
    when it came (UTC µs), how often it was tried, what tells this time from the one before, and the words of the failure."""

    id: str
    sender: str
    message_id: str
    at: int
    tries: int
    mark: int
    words: str


def parked(mail: Aside) -> Matter:
    """A mail is set aside."""
    facts = (
        say("Its name here is %(id)s.", id=mail.id),
        say("Its Message-ID: %(id)s", id=mail.message_id or "–"),
        say("It came %(at)s, from %(sender)s.", at=Moment(mail.at), sender=mail.sender),
    )
    return Matter(
        f"parked-{mail.id}-{mail.mark}",
        say("A mail is set aside, because our code failed on it"),
        say("Our own code has failed %(tries)d times on a mail, which is set aside now.", tries=mail.tries),
        facts,
        mail.words,
        say(
            "It is kept whole, and nothing in it is done; the mails after it go on. Once it can be worked off, it counts as "
            "having come when it did. Until you try it again, it waits."
        ),
        (f"pbem why {mail.id}", f"pbem retry {mail.id}"),
        once=True,
    )


def stands_still(game: str, title: str, words: str) -> Matter:
    """What is due in a game cannot be done."""
    return Matter(
        f"still-{game}",
        say("%(title)s stands still", title=title),
        say("What is due in the game “%(title)s” (%(game)s) could not be done: our own code failed.",
            title=title, game=game),
        (),
        words,
        say(
            "It is tried again every few minutes. Until then no deadline of this game passes and mails to it may be set "
            "aside; other games go on. Nothing is lost: what is due is done as of the moment it was due."
        ),
        ("pbem tick", f"pbem verify {game}"),
    )  # fmt: skip


def not_published(game: str, title: str, words: str) -> Matter:
    """The pages of a game cannot be made or written."""
    return Matter(
        f"pages-{game}",
        say("The pages of %(title)s are out of date", title=title),
        say("The pages of the game “%(title)s” (%(game)s) could not be published.", title=title, game=game),
        (),
        words,
        say("The pages of before stay up, and the next round tries again. Mails go on as ever."),
        (f"pbem publish {game}", "pbem doctor"),
    )


def disk(file: str, free: str, needed: str) -> Matter:
    """The disk is nearly full."""
    return Matter(
        "disk",
        say("The disk is nearly full"),
        say("The disk of %(file)s has %(free)s left, and should have %(needed)s.",
            file=file, free=free, needed=needed),
        (),
        "",
        say(
            "When it is full, no mail can be taken in or sent: other servers keep theirs and try again for some days, and "
            "no deadline passes."
        ),
        (f"df -h {file}", "pbem doctor"),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Back:
    """A mail of ours that came back: how often in a row (`most`: from then on mails wait), what `pbem why` knows it or its
    bounce by, and the words that came with it."""

    bounces: int
    most: int
    id: str
    words: str


def keeper_away(game: str, title: str, name: str, back: Back) -> Matter:
    """Mails to a keeper come back; the keeper cannot be told."""
    return Matter(
        f"keeper-{game}",
        say("Mails to the keeper of %(title)s come back", title=title),
        say("A mail to %(name)s, who keeps the game “%(title)s” (%(game)s), has come back. In a row: %(bounces)d.",
            name=name, title=title, game=game, bounces=back.bounces),
        (),
        back.words,
        say(
            "What the game asks its keeper waits for an answer. From %(most)d on, mails to that address wait here until one "
            "comes from there. Perhaps you know another way to reach the keeper; or somebody else keeps the game.",
            most=back.most,
        ),
        (f"pbem why {back.id}", f"pbem do {game} 'pass keepership to NAME: why'"),
    )  # fmt: skip


def mailbox(name: str, words: str) -> Matter:
    """A mailbox cannot be read."""
    return Matter(
        f"mailbox-{name}",
        say("A mailbox cannot be read"),
        say("The mailbox %(name)s cannot be read.", name=name),
        (),
        words,
        say(
            "Mails wait there and are taken in when it can be read again; deadlines pass meanwhile. It is tried again every "
            "quarter of an hour."
        ),
        ("pbem doctor", "pbem poll"),
    )


def shut(since: int, words: str) -> Matter:
    """No mail goes out."""
    return Matter(
        "way-out",
        say("No mail could be sent"),
        say("Since %(since)s the smart host has taken no mail of ours.", since=Moment(since)),
        (),
        words,
        say(
            "Mails wait and are tried again for five days; deadlines pass meanwhile. This mail waited with them: "
            "`pbem health`, asked by a monitor, tells at once."
        ),
        ("pbem health", "pbem doctor"),
    )


def not_carried(words: str) -> Matter:
    """The host's own command after publishing fails."""
    return Matter(
        "after",
        say("The command after publishing fails"),
        say("For an hour or more the command in [site] after has failed each time."),
        (),
        words,
        say(
            "The pages here are up to date, the copy elsewhere is not. It is tried again once an hour at least."
        ),
        ("pbem doctor", "pbem publish"),
    )
