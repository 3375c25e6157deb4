"""The steps by which a mail is read, and the evidence for each, for people who want to know.

What lives here: words about a reading that `parse` made. What never may: a reading of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.chars import one_line
from pbem.mail.classify import Evidence
from pbem.mail.headers import decoded
from pbem.mail.message import Envelope, Inbound, MailRules
from pbem.mail.mime import Part
from pbem.mail.parse import read_mail, take_apart

_MARKS_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Step:
    """One step of reading: its name, what was found, and by what evidence. All in plain words, on one line."""

    name: str
    found: str
    because: str


def read_with_evidence(raw: bytes, envelope: Envelope, rules: MailRules) -> tuple[Inbound, tuple[Step, ...]]:
    """A mail as `read_mail` reads it, and the steps that led there, in order."""
    seen = take_apart(raw, envelope, rules)
    mail = read_mail(raw, envelope, rules)
    steps = [
        _limits(raw, seen, rules),
        Step("kind", mail.kind, "; ".join((mail.because, *(mail.notes if mail.kind != "human" else ())))),
        _author(seen, mail),
        Step("proof", "credited" if mail.authenticated else "not credited", mail.shows),
        _subject(mail),
        _recipient(mail),
    ]
    if mail.kind == "human":
        steps.append(_body(seen, mail))
    return mail, tuple(Step(step.name, one_line(step.found), one_line(step.because)) for step in steps)


def _limits(raw: bytes, seen: Evidence, rules: MailRules) -> Step:
    parts = list(seen.mail.walk())
    found = (
        f"{len(raw):,} bytes, {len(seen.headers.fields)} headers, {len(parts)} part{'s' * (len(parts) > 1)}"
    )
    read = rules.limits.read
    cut = f"only the first {read:,} bytes are read" if len(raw) > read else "all of it is read"
    return Step("limits", found, seen.headers.fault or cut)


def _author(seen: Evidence, mail: Inbound) -> Step:
    fields = seen.headers.all("from")
    if mail.author:
        return Step("author", mail.author, f"the one address in From: {decoded(fields[0])[:_MARKS_SHOWN]}")
    return Step("author", mail.claimed or "–", f"{len(fields)} From headers, and no single address in them")


def _subject(mail: Inbound) -> Step:
    if mail.subject_core == mail.subject:
        return Step("subject", mail.subject or "–", "as it came")
    return Step("subject", mail.subject_core or "–", f"without prefixes and tags of: {mail.subject}")


def _recipient(mail: Inbound) -> Step:
    if not mail.recipients:
        return Step("recipient", "–", "no address of ours in the envelope, Delivered-To, To or Cc")
    return Step("recipient", mail.recipients[0], "the first address of ours in the envelope and the headers")


def _body(seen: Evidence, mail: Inbound) -> Step:
    found = " + ".join(dict.fromkeys(map(_described, seen.body.parts))) or "–"
    chosen = "the first part with a text that is not blank" if seen.body.parts else "no part has a text"
    notes = "".join(f"; {note}" for note in mail.notes)
    return Step("body", found, chosen + notes)


def _described(part: Part) -> str:
    charset = part.parameters.get("charset", "")[:_MARKS_SHOWN]
    encoding = part.headers.first("content-transfer-encoding").lower()[:_MARKS_SHOWN]
    return ", ".join(filter(None, (part.type[:_MARKS_SHOWN], charset, encoding)))
