"""What our own receiving server found out about the sender (RFC 8601 Authentication-Results).

What lives here: reading that one header. What never may: DNS, keys, and belief in anybody else's header.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from pbem.mail.addresses import domain
from pbem.mail.attribution import Proof
from pbem.mail.chars import one_line
from pbem.mail.headers import Headers, without_comments

_FROM = re.compile(r"\s*from\s", re.IGNORECASE)
_BY_LMTP = re.compile(r"\swith\s+(?:utf8)?lmtps?a?\s", re.IGNORECASE)
_SECTION = re.compile(r'(?:"(?:[^"\\]|\\.)*"?|[^";])+')
_RESULT = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(r'\b([a-z]+(?:\.[a-z0-9_-]+)?)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Result:
    """One method's verdict, such as dkim=pass, with its properties (`header.d` …), all lower case."""

    method: str
    verdict: str
    properties: dict[str, str]


_UNDECIDED = ("temperror", "permerror")
"""What a receiver says of a policy it could not look up, or not read: neither for the sender nor against."""


@dataclass(frozen=True, slots=True)
class Word:
    """What is said for the author's domain, and by whom and how, in one phrase."""

    proof: Proof
    because: str


def word_for(headers: Headers, author: str, receivers: Collection[str]) -> Word:
    """What the topmost Authentication-Results of a trusted receiver says for `author`'s domain.

    It counts only above the second Received that tells of another server: below that, others wrote.
    dmarc=pass for the domain decides (RFC 7489); where there is no such verdict or no policy, dkim=pass
    by the domain itself.
    """
    server, results = _trusted_results(headers, {name.lower() for name in receivers})
    if not server:
        return Word("absent", "no trusted receiver says who sent it")
    policies = [result for result in results if result.method == "dmarc" and result.verdict != "none"]
    decisive = policies or [result for result in results if _signed_by(result, domain(author))]
    said = ", ".join(f"{result.method}={result.verdict} for {_about(result)}" for result in decisive[:3])
    told = said or f"nothing that shows it is from {domain(author)}"
    because = one_line(f"{server} says {told}")
    if any(result.verdict in _UNDECIDED for result in policies) or not decisive:
        return Word("absent", because)
    passes = all(_policy_passes(result, domain(author)) for result in policies)
    return Word("pass" if passes else "fail", because)


def _about(result: Result) -> str:
    return result.properties.get("header.from") or _signer(result) or "no domain"


def _policy_passes(result: Result, host: str) -> bool:
    aligned = domain(result.properties.get("header.from", ""))
    return result.verdict == "pass" and (host == aligned or ("." in aligned and host.endswith(f".{aligned}")))


def _signed_by(result: Result, host: str) -> bool:
    return result.method == "dkim" and result.verdict == "pass" and _signer(result) == host


def _signer(result: Result) -> str:
    return result.properties.get("header.d") or domain(result.properties.get("header.i", ""))


def _trusted_results(headers: Headers, receivers: Collection[str]) -> tuple[str, list[Result]]:
    """The name of the receiver that is trusted, "" for none, and its results."""
    received = 0
    for name, value in headers.fields:
        received += name == "received" and _is_from_elsewhere(value)
        if received > 1:
            break
        if name == "authentication-results":
            named, *sections = _SECTION.findall(without_comments(value)) or [""]
            server = (named.lower().split() or [""])[0]
            if server in receivers:
                return server, [found for found in map(_result, sections) if found]
    return "", []


def _is_from_elsewhere(received: str) -> bool:
    """Whether a Received tells of a mail that another server handed over: not of a delivery within the house, which is by
    LMTP (RFC 3848; a mailbox behind rspamd) or names nobody it came from (Gmail)."""
    if _FROM.match(received) and "lmtp" not in received.lower():  # the plain case, told fast
        return True
    told = without_comments(received)
    return bool(_FROM.match(told)) and not _BY_LMTP.search(told)


def _result(section: str) -> Result | None:
    head = _RESULT.match(section)
    if not head:
        return None
    properties = {key.lower(): text.strip('"').lower() for key, text in _PROPERTY.findall(section)}
    return Result(head[1].lower(), head[2].lower(), properties)
