"""What a subject is about: without reply and forward marks, [tags], and words of automatic answers.

What lives here: those words, in the languages mail programs speak. What never may: any other header.
"""

from __future__ import annotations

import re

_REPLY = (
    *("re", "ref", "rép", "réf", "sv", "vs", "aw", "antw", "antwort", "odp", "odpoveď"),
    *("odpověď", "rv", "res", "resp", "enc", "r", "i", "rif", "ynt", "i̇lt", "ilt", "atb", "απ"),
    *("πρθ", "σχετ", "ha", "vá", "továbbítás", "fw", "fwd", "wg", "wgl", "tr", "vb", "vl", "vid"),
    *(
        "vidarebefordrat",
        "videresendt",
        "doorst",
        "pd",
        "ang",
        "betr",
        "betreff",
        "videresend",
        "external",
        "extern",
        "ответ",
        "отв",
        "пересл",
    ),
    *(
        "hv",
        "edasi",
        "fs",
        "回复",
        "回覆",
        "答复",
        "答覆",
        "转发",
        "轉寄",
        "轉發",
        "返信",
        "転送",
        "답장",
        "전달",
    ),
)
AUTOMATIC = (
    "automatic reply",
    "automated reply",
    "auto reply",
    "auto-reply",
    "autoreply",
    "auto response",
    "auto-response",
    "autoresponse",
    "out of office",
    "out of the office",
    "out of office autoreply",
    "vacation reply",
    "vacation response",
    "autosvar",
    "frånvaromeddelande",
    "frånvaroanmälan",
    "automatiskt svar",
    "automatisk svar",
    "automatische antwort",
    "abwesenheitsnotiz",
    "abwesenheitsnachricht",
    "abwesenheitsmeldung",
    "automatisch antwoord",
    "afwezig",
    "afwezigheidsbericht",
    "réponse automatique",
    "réponse d'absence",
    "absence du bureau",
    "absent du bureau",
    "absent(e) du bureau",
    "fuera de la oficina",
    "fuera de oficina",
    "fuori ufficio",
    "fuori sede",
    "poissaoloilmoitus",
    "poissaoloviesti",
    "automatyczna odpowiedź",
    "autoodpowiedź",
    "poza biurem",
    "respuesta automática",
    "resposta automática",
    "risposta automatica",
    "automaattinen vastaus",
    "automaatvastaus",
    "fraværsmelding",
    "fraværsbesked",
    "autosvar fra",
    "odpowiedź automatyczna",
    "automatická odpověď",
    "автоответ",
    "автоматический ответ",
    "自动答复",
    "自动回复",
    "自動回覆",
    "自動応答",
)
"""Words that only machines begin a subject with."""
MAYBE_AUTOMATIC = (
    *(
        "frånvaro",
        "frånvarande",
        "fravær",
        "absence",
        "absent",
        "away",
        "auto",
        "poissa",
        "ikke til stede",
        "ikke til stede på kontoret",
        "abwesend",
        "abwesenheit",
    ),
    *(
        "read",
        "läst",
        "gelesen",
        "lu",
        "leído",
        "lest",
        "læst",
        "letto",
        "gelezen",
        "luettu",
        "not read",
        "oläst",
    ),
    *("accepted", "declined", "tentative", "tentatively accepted", "accepterat", "avböjt", "preliminärt"),
    *("zugesagt", "abgelehnt", "mit vorbehalt", "accepté", "refusé", "provisoire", "aceptado", "rechazado"),
    *("geaccepteerd", "geweigerd", "accepteret", "afvist", "akseptert", "avslått", "hyväksytty", "hylätty"),
    *(
        "undeliverable",
        "olevererbart",
        "går inte att leverera",
        "unzustellbar",
        "non remis",
        "no se puede entregar",
    ),
)
"""Words that machines begin a subject with, and people too."""

_COUNT = r"(?:\s?[\[(]\d{1,3}[\])]|\^\d{1,3})?"


def _mark(words: tuple[str, ...] | list[str]) -> re.Pattern[str]:
    ordered = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:{ordered}){_COUNT}\s?[:：]\s*", re.IGNORECASE)


_MARKS = _mark([*_REPLY, *AUTOMATIC, *MAYBE_AUTOMATIC])
_TAG = re.compile(r"\[([^\[\]]{1,60})\]\s*")
_STAMP = re.compile(r"(?:\*{2,5}[^*]{1,30}\*{2,5}|\{[^{}]{1,30}\})\s*")
"""What spam filters stamp on a subject."""
_SURE = re.compile(rf"(?:{'|'.join(map(re.escape, AUTOMATIC))})(?!\w)", re.IGNORECASE)
_PERHAPS = _mark(MAYBE_AUTOMATIC)


def core(subject: str) -> tuple[str, tuple[str, ...]]:
    """The subject without marks, stamps and [tags] at its start, however they are stacked, and those tags."""
    tags: list[str] = []
    while found := _TAG.match(subject) or _MARKS.match(subject) or _STAMP.match(subject):
        if found.re is _TAG:
            tags.append(found[1].strip())
        subject = subject[found.end() :]
    return subject.strip(), tuple(tags)


def automatic_words(subject: str) -> tuple[str, bool]:
    """The words of an automatic answer that the subject begins with, [tags] aside, and whether they are sure.

    ("", False) for none. `Re: Automatic reply` is a person's answer to one.
    """
    while tag := _TAG.match(subject):
        subject = subject[tag.end() :]
    if sure := _SURE.match(subject):
        return sure[0], True
    perhaps = _PERHAPS.match(subject)
    return (perhaps[0].rstrip(" :："), False) if perhaps else ("", False)
