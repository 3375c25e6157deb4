"""The words by which mail programs mark an original below or above what is new: labels, attributions, openings.

What lives here: words and patterns, by language. What never may: a decision. Every pattern is meant for
one line (or one paragraph) of bounded length, and none can backtrack over more than a few words.
"""

from __future__ import annotations

import re

LABELS: dict[str, str] = {
    word: kind
    for kind, words in {
        "from": "from från fra von de van da lähettäjä od от frá avsändare afsender avsender absender "
        "expéditeur remitente mittente afzender kimden feladó 发件人 寄件者 差出人 送信者 보낸사람",
        "sent": "sent date skickat datum gesendet envoyé fecha enviado enviada verzonden sendt dato lähetetty "
        "päivämäärä päiväys inviato data wysłano odesláno отправлено дата tarih elküldve 发送时间 日期 送信日時 日時 보낸날짜",
        "to": "to till an à a para aan til vastaanottaja do komu кому kime címzett 收件人 收件者 宛先 받는사람",
        "cc": "cc kopia kopie kopi copie copia kopio dw копия 抄送 副本 参조",
        "subject": "subject ämne betreff objet asunto onderwerp emne aihe oggetto assunto temat předmět тема konu "
        "tárgy ärende ärendet 主题 主旨 件名 제목",
    }.items()
    for word in words.split()
}
LABELS |= {"보낸 사람": "from", "받는 사람": "to", "보낸 날짜": "sent"}
LABELS |= {"enviado el": "sent", "enviada em": "sent", "reply-to": "cc", "bcc": "cc", "wysłane": "sent"}
"""A label of a quoted header block, lower case, without its colon → which header it stands for."""

OLDER = re.compile(
    r"origin(?:al|ele?s?\b|e\b)|ursprung|ursprüng|oprindelig|opprinnelig|alkuperäi|oorspronkelijk|oryginaln|eredeti|původní|исходн|"
    r"forwarded|vidarebefordra|weitergeleitet|transféré|réexpédi|reenviad|encaminhad|doorgestuurd|inoltrat|videresendt|"
    r"välitetty|przekazan|přeposlan|пересл|reply message|原始|转发",
    re.IGNORECASE,
)
LETTER = re.compile(
    r"message|e-?mail|\bmails?\b|meddelande|brev|nachricht|courriel|mensaje|mensagem|bericht|messaggio|meddelelse|besked|"
    r"melding|viesti|wiadomość|zpráv|üzenet|сообщени|письм|appointment|邮件",
    re.IGNORECASE,
)
"""The two words that stand between dashes above an original: that it is an older one, and what it is."""

OPENINGS = {
    *("begin forwarded message", "vidarebefordrat brev", "anfang der weitergeleiteten nachricht"),
    *("anfang der weitergeleiteten e-mail", "début du message réexpédié", "début du message transféré"),
    *("inicio del mensaje reenviado", "inizio messaggio inoltrato", "begin doorgestuurd bericht"),
    *("start på videresendt besked", "starten av videresendt melding", "välitetty viesti alkaa"),
    *("reply above this line", "please reply above this line", "svara ovanför den här raden"),
    "please type your reply above this line",
}
"""Lines that open an original without dashes; a colon may end them."""


def _begun(words: str) -> str:
    """Alternatives that begin with a plain sign each, tried only where one of those signs stands: told fast."""
    first = {word.removeprefix("\\")[0] for word in words.split("|")}
    return f"(?=[{''.join(sorted(first))}])(?:{words})"


_VERBS = (
    r"wrote|writes|wrotes|skrev|skriver|schrieb|schreibt|schreef|escribió|escribio|escreveu|kirjoitti|kirjutas|"
    r"a écrit|écrit|ha scritto|scrisse|napisał(?:\(a\)|a)?|napsala?|napsal\(a\)|napísala?|írta|yazdı|a scris|pisze|napisao je|"
    r"geschreven|geschrieben|rašė|skrifaði|написала?|пишет|пише"
)
_MORE_VERBS = r"\(a\)\s*[:：]|έγραψε|写道|寫道|のメール|님이 작성|wrote$"
WROTE = re.compile(rf"\b{_begun(_VERBS)}\b|{_begun(_MORE_VERBS)}", re.IGNORECASE)
"""The verb of an attribution line."""
ENDS_IN_VERB = re.compile(rf"\b{_begun(_VERBS)}$", re.IGNORECASE)

CITING = re.compile(
    r"(?:quoting|citerar|zitat von|zitiere|citando|citat fr(?:a|ån)|citaat van|citát)\s", re.IGNORECASE
)

_DAYS = (
    "mon|tue|wed|thu|fri|sat|sun|mån|tis|ons|tors?|fre|lör|sön|mo|di|mi|do|fr|sa|so|man|tir|lør|søn|lun|mar|mer|mié|"
    "mie|jeu|jue|gio|ven|vie|sam|sáb|sab|dim|dom|seg|ter|qua|qui|sex|ma|wo|vr|za|zo|ti|ke|to|pe|la|su|pn|pon|wt|śr|"
    "czw|pt|ср|чт|пт|сб|вс|пн|вт|понедельник|вторник|четверг|пятница|суббота|воскресенье"
)
_DATE_WITH_DAY = rf"(?:(?:{_DAYS})\w{{0,9}}[.,]{{0,2}}\s*(?:(?:de|den|der|d)\s+)?)%s(?:[^\W\d_]{{3,12}}\.?\s+)?(?:den\s+)?\d"
OPENS = re.compile(
    r"(?:[-–—]+\s*)?(?:(?:on|at|den|am|le|el|op|il giorno|il|em|på|w dniu|dnia|dne|в)\s+"
    + (_DATE_WITH_DAY % "?")
    + "|"
    + (_DATE_WITH_DAY % "")
    + r"|wiadomość napisana przez|\d{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,12}|\d{4}[-./年]\s?\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})",
    re.IGNORECASE,
)
"""How an attribution begins: a date, or a preposition or weekday and then a date."""

CLOCK = re.compile(r"(?<!\d)\d{1,2}\s?[:.h]\s?\d{2}(?!\d)|\b\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE)
DATE = re.compile(
    r"\b(?:19|20)\d{2}\b|\b\d{1,2}[./-]\d{1,2}\b|\b\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,12}|[^\W\d_]{3,12}\.?\s\d{1,2}\b"
)
YEAR = re.compile(r"(?<!\d)(?:(?:19|20)\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{2})(?!\d)")
"""A year, or a date of three numbers that has one."""
ADDRESS = re.compile(r"[^\s<>@\"]{1,64}@[^\s<>@\"]{1,255}")
