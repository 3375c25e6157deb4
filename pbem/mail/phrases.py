"""The words by which mail programs mark what is not new: labels, attributions, signatures, footers.

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
        "tárgy 主题 主旨 件名 제목",
    }.items()
    for word in words.split()
}
LABELS |= {"보낸 사람": "from", "받는 사람": "to", "보낸 날짜": "sent"}
LABELS |= {"enviado el": "sent", "enviada em": "sent", "reply-to": "cc", "bcc": "cc", "wysłane": "sent"}
"""A label of a quoted header block, lower case, without its colon → which header it stands for."""

ORIGINALS = {
    *("original message", "original e-mail", "forwarded message", "reply message"),
    *("ursprungligt meddelande", "originalmeddelande", "vidarebefordrat meddelande", "vidarebefordrat brev"),
    *("ursprüngliche nachricht", "originalnachricht", "weitergeleitete nachricht", "weitergeleitete mail"),
    *("message d'origine", "message d’origine", "message original", "message transféré", "courriel original"),
    *("mensaje original", "mensaje reenviado", "mensagem original", "mensagem encaminhada"),
    *("oorspronkelijk bericht", "doorgestuurd bericht", "messaggio originale", "messaggio inoltrato"),
    *("oprindelig meddelelse", "original besked", "videresendt besked", "videresendt meddelelse"),
    *("opprinnelig melding", "videresendt melding", "alkuperäinen viesti", "välitetty viesti"),
    *(
        "wiadomość oryginalna",
        "oryginalna wiadomość",
        "původní zpráva",
        "исходное сообщение",
        "原始邮件",
        "转发的邮件",
    ),
}
"""What stands between dashes above an original."""

OPENINGS = {
    *("begin forwarded message", "vidarebefordrat brev", "anfang der weitergeleiteten nachricht"),
    *("anfang der weitergeleiteten e-mail", "début du message réexpédié", "début du message transféré"),
    *("inicio del mensaje reenviado", "inizio messaggio inoltrato", "begin doorgestuurd bericht"),
    *("start på videresendt besked", "starten av videresendt melding", "välitetty viesti alkaa"),
    *("reply above this line", "please reply above this line", "svara ovanför den här raden"),
}
"""Lines that open an original without dashes; a colon may end them."""

WROTE = re.compile(
    r"\b(?:wrote|writes|wrotes|skrev|skriver|schrieb|schreibt|schreef|escribió|escribio|escreveu|kirjoitti|kirjutas|"
    r"a écrit|écrit|ha scritto|scrisse|napisał(?:\(a\)|a)?|napsala?|napsal\(a\)|napísala?|írta|yazdı|a scris|pisze|geschreven|rašė|"
    r"skrifaði|написала?|пишет|пише)\b|\(a\)\s*[:：]|έγραψε|写道|寫道|のメール|님이 작성|wrote$",
    re.IGNORECASE,
)
"""The verb of an attribution line."""

CITING = re.compile(
    r"(?:quoting|citerar|zitat von|zitiere|citando|citat fra|citaat van|citát)\s", re.IGNORECASE
)

_DAYS = (
    "mon|tue|wed|thu|fri|sat|sun|mån|tis|ons|tors?|fre|lör|sön|mo|di|mi|do|fr|sa|so|man|tir|lør|søn|lun|mar|mer|mié|"
    "mie|jeu|jue|gio|ven|vie|sam|sáb|sab|dim|dom|seg|ter|qua|qui|sex|ma|wo|vr|za|zo|ti|ke|to|pe|la|su|pn|pon|wt|śr|"
    "czw|pt|ср|чт|пт|сб|вс|пн|вт"
)
_DATE_WITH_DAY = rf"(?:(?:{_DAYS})\w{{0,9}}[.,]{{0,2}}\s*(?:(?:de|den|der|d)\s+)?)%s(?:[^\W\d_]{{3,12}}\.?\s+)?(?:den\s+)?\d"
OPENS = re.compile(
    r"(?:[-–—]+\s*)?(?:(?:on|at|den|am|le|el|op|il giorno|il|em|på|w dniu|dnia|dne|в)\s+"
    + (_DATE_WITH_DAY % "?")
    + "|"
    + (_DATE_WITH_DAY % "")
    + r"|\d{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,12}|\d{4}[-./年]\s?\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})",
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

PHONE = re.compile(
    r"(?:sent (?:from|via|with|using) (?:my |the |a |an )?[\w.'’ -]{2,60}|sent from .{0,40}(?:phone|mobile|ipad|mail)|"
    r"skickat (?:från|med|via) .{2,60}|skickades från .{2,60}|från min (?:iphone|ipad|mobil|telefon)|"
    r"(?:diese \S{2,12} wurde )?(?:von|mit|über) (?:meinem?|unterwegs|der|outlook)\b.{0,60}(?:gesendet|gesandt|verschickt)|"
    r"von unterwegs gesendet|gesendet (?:von|mit|aus|über) .{2,60}|envoyé (?:de|depuis|à partir|avec) .{2,60}|"
    r"enviado (?:desde|do|de|a partir|con|com) .{2,60}|verzonden (?:vanaf|vanuit|met|via) .{2,60}|"
    r"verstuurd (?:vanaf|met) .{2,60}|sendt (?:fra|med|via) .{2,60}|lähetetty .{2,60}|inviato (?:da|con) .{2,60}|"
    r"wysłan[eo] (?:z|za) .{2,60}|odesláno z .{2,60}|отправлено (?:с|из) .{2,60}|발송|发自我的.{1,30}|.{1,30}から送信|"
    r"(?:get|download|hämta|skaffa|hent|hanki|scarica|obtener|obtenir|télécharger|ottieni|download) outlook .{2,40}|"
    r"(?:laden sie )?outlook für .{2,40})[.!]?(?:\s*<?https?://\S{1,200})?",
    re.IGNORECASE,
)
"""A whole line that a phone or mail program adds below what was written."""

RULER = re.compile(r"[-_=*~–—]{3,200}|(?:-=){3,100}-?")

LIST_FOOTER = re.compile(
    r"mailing ?list|mailinglist|e-postlista|sändlista|epostliste|liste de diffusion|lista de correo|listinfo|"
    r"unsubscribe|avprenumerera|avanmäl|abmelden|austragen|désabonner|groups\.io|google ?groups",
    re.IGNORECASE,
)

BANNER = re.compile(
    r"\W{0,8}(?:caution|warning|external|attention|notice|obs|varning|extern[at]?|achtung|vorsicht|warnung|advarsel|"
    r"varoitus|waarschuwing|avertissement|attenzione|precaución)\b"
    r"(?=.{0,400}?(?:outside|external|extern|utanför|utifrån|ausserhalb|außerhalb|extérieur|utenfor|udefra|ulkopuol|"
    r"buiten|fuera))(?=.{0,400}?(?:e-?mail|mejl|message|meddelande|nachricht|courriel|correo|bericht|melding|viesti))|"
    r"\W{0,8}(?:this (?:e-?mail|message) (?:originated|came|was sent|is) from (?:outside|an external)|"
    r"\[?external(?: e-?mail| sender| message)?\]?\W{0,8}$|you don['’]t often get (?:e-?mail|mail) from|"
    r"some people who received this message don['’]t often|du får inte ofta e-post från|"
    r"(?:detta|det här) (?:mejlet|meddelandet|mailet|meddelande|mejl) (?:kommer|skickades) (?:utifrån|från en extern)|"
    r"diese (?:e-?mail|nachricht) (?:kommt|stammt|wurde) von (?:außerhalb|extern))",
    re.IGNORECASE,
)
"""How a gateway's banner begins, put above what was written."""

BANNER_GOES_ON = re.compile(
    r"do not (?:click|open|reply)|links or|attachments? unless|recogni[sz]e the sender|content is safe|learn why this|"
    r"klicka inte|öppna inte|bilagor om|klicken sie|öffnen sie|cliquez pas",
    re.IGNORECASE,
)

DISCLAIMER = re.compile(
    r"\W{0,8}(?:(?:this|the information in this|the contents? of this) (?:e-?mail|message|communication|transmission)|"
    r"confidentiality|disclaimer|legal notice|privileged|the information (?:contained |transmitted )?(?:in|by)|"
    r"if you (?:are not|have received)|(?:detta|det här|denna) (?:meddelande|mejl|mail|e-post|e-postmeddelande)\w{0,3}|"
    r"informationen i|diese (?:e-?mail|nachricht)|der inhalt dieser|ce (?:message|courriel|mél)|este (?:mensaje|correo|e-?mail)|"
    r"esta (?:mensagem|comunicación)|dit (?:bericht|e-mail)|deze e-?mail|denne (?:e-?mail|meddelelse|e-post|mail)|"
    r"questo messaggio|questa e-?mail|tämä (?:viesti|sähköposti))",
    re.IGNORECASE,
)
"""How a paragraph that lawyers add begins …"""

CONFIDENTIAL = re.compile(
    r"confidential|privileged|intended (?:solely|only|recipient|for)|in error|konfidenti|sekretess|obehörig|av misstag|"
    r"avse(?:tt|dd|r) (?:endast|enbart)|vertraulich|irrtümlich|confidentiel|confidencial|vertrouwelijk|fortrolig|"
    r"riservat|luottamuksel|virus",
    re.IGNORECASE,
)
"""… and what it goes on to say."""

APPENDED = re.compile(
    r"\W{0,8}(?:(?:please )?(?:consider|think (?:of|about)) (?:the )?environment|tänk på miljön|bitte (?:denken|prüfen) sie|"
    r"virus-free|virusfritt|this (?:e-?mail|message) has been (?:checked|scanned)|to unsubscribe|"
    r"you (?:received|are receiving) this (?:message|e-?mail) because|du får (?:detta|det här) (?:mejlet|meddelandet|mejl) för)",
    re.IGNORECASE,
)
"""How other paragraphs begin that programs add at the end."""
