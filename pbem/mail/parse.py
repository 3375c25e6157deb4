"""The mail reader: raw bytes to `Inbound`. It is total: whatever the bytes are, there is an answer.

What lives here: the order of the steps, whose mail it claims to be, and the key against doubles.
What never may: I/O, the game, and an exception: each step below this file is total by itself.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from pbem.mail import times, tokens
from pbem.mail.addresses import domain, mailboxes, sole_mailbox, untagged
from pbem.mail.attribution import Proof
from pbem.mail.authres import word_for
from pbem.mail.body import Body, body
from pbem.mail.classify import Evidence, Verdict, classify
from pbem.mail.headers import Headers, decoded, message_ids, split, unify
from pbem.mail.limits import Limits
from pbem.mail.message import Envelope, Inbound, MailRules, Note
from pbem.mail.mime import tree
from pbem.mail.reply import NewText, new_text
from pbem.mail.subject import core

_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "to", "cc")
_LIST_HEADERS = ("list-id", "list-post", "mailing-list", "x-mailing-list", "x-google-group-id")
_AUTHOR_HEADERS = ("reply-to", "x-original-from", "x-original-sender")
_NOBODY = "nobody is credited with a mail of this kind"
_NOTHING = NewText("", ())
_MOST_NAMES = 10
"""Attachments that are named."""
_MAILTO = re.compile(r"mailto:([^?>\s]{3,320})", re.IGNORECASE)
_VIA = re.compile(r"[^\s(\[][\s(\[]+via\s+\S", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Identity:
    authenticated: str | None
    claimed: str | None
    shows: str
    proof: Proof = "absent"
    munged: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """What a mail is told by, as in `Inbound`."""

    key: str
    letter: str | None
    digest: str


def marks_of(raw: bytes, envelope: Envelope, rules: MailRules) -> Marks:
    """What tells a mail from all others, and no more of it. Never raises."""
    seen = take_apart(raw, envelope, rules)
    return _marks(raw, seen, _message_id(seen.headers))


def _marks(raw: bytes, seen: Evidence, message_id: str | None) -> Marks:
    return Marks(_key(seen, message_id), _letter(seen, message_id), hashlib.sha256(raw).hexdigest())


def read_mail(raw: bytes, envelope: Envelope, rules: MailRules) -> Inbound:
    """A mail as it came, with what the transport said of it, read by our settings. Never raises.

    Only the first `rules.limits.read` bytes are looked at (the digest is over all of them).
    """
    seen = take_apart(raw, envelope, rules)
    verdict = classify(seen)
    written = new_text(seen.body.text) if verdict.kind == "human" else _NOTHING
    identity = _identity(seen.headers, seen.author, verdict, rules)
    subject_core, tags = core(seen.subject)
    message_id = _message_id(seen.headers)
    marks = _marks(raw, seen, message_id)
    recipients, answers = _recipients(seen.headers, envelope, rules.addresses), _answers(seen.headers)
    return Inbound(
        kind=verdict.kind,
        because=tokens.hide(verdict.because),
        author=seen.author,
        authenticated=identity.authenticated,
        claimed=identity.claimed,
        proof=identity.proof,
        shows=identity.shows,
        munged=identity.munged,
        tokens=tokens.found_in([*recipients, *_of_ours(answers, rules.addresses)]),
        subject=seen.subject,
        subject_core=subject_core,
        tags=tags,
        text=written.text[: rules.limits.text] if verdict.kind == "human" else None,
        whole=seen.body.text,
        message_id=message_id,
        answers=answers,
        recipients=recipients,
        key=marks.key,
        letter=marks.letter,
        digest=marks.digest,
        notes=_notes(seen, verdict, written.text, rules.limits),
        cuts=written.cuts,
        dated=seen.headers.first("date").strip(),
        stamps=times.stamps(seen.headers),
        attached=tuple(part.name for part in seen.mail.walk() if part.attached and part.name)[:_MOST_NAMES],
    )


def take_apart(raw: bytes, envelope: Envelope, rules: MailRules) -> Evidence:
    """All that the tests of a mail look at, found within the limits."""
    limits = rules.limits
    text = unify(raw[: limits.read]).lstrip(b"\xef\xbb\xbf\n")
    if text.startswith(b"From "):  # the separator line of an mbox
        text = text.partition(b"\n")[2]
    headers, below = split(text, limits)
    mail = tree(headers, below, limits)
    return Evidence(
        headers=headers,
        mail=mail,
        body=_without_tokens(body(mail, limits, cut=len(raw) > limits.read)),
        author=sole_mailbox(headers.all("from")),
        subject=tokens.hide(decoded(headers.first("subject"))),
        envelope=envelope,
        ours=rules.addresses,
    )


def _without_tokens(written: Body) -> Body:
    """The words of a mail are relayed, published and logged, and a token is its reader's secret."""
    return replace(written, text=tokens.hide(written.text))


def _notes(seen: Evidence, verdict: Verdict, written: str, limits: Limits) -> tuple[Note, ...]:
    long: tuple[Note, ...] = ("too long",) if len(written) > limits.text else ()
    return tuple(dict.fromkeys([*seen.body.notes, *verdict.notes, *long]))


def _message_id(headers: Headers) -> str | None:
    value = headers.first("message-id")
    found = message_ids(value)
    return found[0] if found else (f"<{value.split()[0]}>" if value.split() else None)


def _answers(headers: Headers) -> tuple[str, ...]:
    # Some mailers write an identifier that is longer than a line as encoded words.
    answered = [found for value in headers.all("in-reply-to") for found in message_ids(decoded(value))]
    older = [found for value in headers.all("references") for found in message_ids(decoded(value))]
    return tuple(dict.fromkeys([*answered, *reversed(older)]))


def _of_ours(ids: tuple[str, ...], ours: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the Message-IDs that are at a host of ours."""
    hosts = {domain(address) for address in ours}
    return tuple(found for found in ids if domain(found[:-1]) in hosts)


def _recipients(headers: Headers, envelope: Envelope, ours: tuple[str, ...]) -> tuple[str, ...]:
    values = [
        envelope.recipient or "",
        *(value for name in _RECIPIENT_HEADERS for value in headers.all(name)),
    ]
    named = (address for value in values for address in mailboxes(value))
    own = set(map(untagged, ours))
    return tuple(dict.fromkeys(address for address in named if untagged(address) in own))


def _identity(headers: Headers, author: str | None, verdict: Verdict, rules: MailRules) -> _Identity:
    """Who may be credited (people only), else whom the mail claims to be from."""
    if verdict.kind in {"bounce", "loop"}:
        return _Identity(None, None, _NOBODY)
    if author is None:
        named = [address for value in headers.all("from") for address in mailboxes(value)]
        return _Identity(None, named[-1] if named else None, _NOBODY)
    if verdict.kind != "human":
        return _Identity(None, author, _NOBODY)
    lists = _list_addresses(headers)
    if _is_munged(headers, author, lists):
        behind = _behind_the_list(headers, {author, *lists}) or author
        return _Identity(None, behind, "a mailing list put itself in the author's place", munged=True)
    if rules.believe_from:
        return _Identity(author, None, "this host believes From", "vouched")
    word = word_for(headers, author, rules.trusted_receivers)
    if word.proof == "pass":
        return _Identity(author, None, word.because, word.proof)
    return _Identity(None, author, word.because, word.proof)


def _list_addresses(headers: Headers) -> set[str]:
    """The addresses a mailing list names as its own, by List-Post and List-Id."""
    posts = {address.lower() for value in headers.all("list-post") for address in _MAILTO.findall(value)}
    names = [found[1:-1].lower().partition(".") for found in message_ids(headers.first("list-id"))]
    return posts | {f"{name}@{host}" for name, _, host in names}


def _is_munged(headers: Headers, author: str, lists: set[str]) -> bool:
    """Whether a mailing list put itself into From, as lists do for senders with a DMARC policy."""
    if author in lists:
        return True
    name = decoded(headers.first("from")).partition("<")[0]
    from_list = any(map(headers.has, _LIST_HEADERS)) or bool(_behind_the_list(headers, {author}))
    rewritten = "=" in author.partition("@")[0]
    return bool(rewritten or _VIA.search(name)) and from_list


def _behind_the_list(headers: Headers, lists: set[str]) -> str | None:
    values = (value for name in _AUTHOR_HEADERS for value in headers.all(name))
    found = (address for value in values for address in mailboxes(value))
    return next((address for address in found if address not in lists), None)


def _key(seen: Evidence, message_id: str | None) -> str:
    """The same key is one mail: sender, Message-ID and body, or what else tells mails apart without an id."""
    name = [message_id] if message_id else [seen.headers.first("date"), seen.subject]
    return _hashed(_sender(seen), *name, seen.body.text)


def _letter(seen: Evidence, message_id: str | None) -> str | None:
    return _hashed(_sender(seen), message_id) if message_id else None


def _sender(seen: Evidence) -> str:
    return seen.author or ", ".join(seen.headers.all("from"))


def _hashed(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()
