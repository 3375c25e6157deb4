"""What programs, gateways and lawyers put around what a person wrote: phone lines, banners, disclaimers, footers.

What lives here: whether one line or paragraph is of that kind. What never may: where to cut (`reply` decides), and
whole sentences of one program: a notice is known by words of several families together, in whatever language and
order they come. Everything looked at is of bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LOOKED_AT = 400
_LONGEST_PARAGRAPH = 4_000
_GLUED = 120


def _words(*families: str) -> re.Pattern[str]:
    return re.compile("|".join(families), re.IGNORECASE)


_MAIL = (
    r"e-?mail|\bmails?\b|message|meddelande|meldung|mejl|e-?post|nachricht|courriel|courrier|\bmél\b|correo|mensaje|"
    r"mensagem|bericht|melding|meddelelse|messaggi|viesti|sähköposti|wiadomoś"
)
_SENT = (
    r"(?:sent|secured|skickat|skickades|skickad|sänt|gesendet|gesandt|gesichert|envoyé|enviad[oa]|verzonden|verstuurd|sendt|"
    r"lähetetty|inviat[oa]|wysłan[eoay]|odesláno|отправлено)"
)
_DEVICE = (
    r"i-?(?:phone|pad|pod|os|cloud)\w*|\b(?:apple|galaxy|samsung|huawei|honor|xiaomi|redmi|oneplus|oppo|pixel|nokia|lumia|htc|"
    r"motorola|sony|xperia|blackberry|android|windows|outlook|thunderbird|gmail|yahoo|proton|tuta|gmx|k-9|fastmail|"
    r"spark|hey|mac)\w*|web\.de|phone|\b(?:smart|mobi)\w*|\bmóvil|\bmovil|\bhandy|tele\w*|cell|puhel\w*|tablet|platta|"
    r"\bapp\b|\bappl|aplik|device|appareil|gerät|enhet|laite|pocz[tc]\w*|posta?\b|mail|courrier|correo"
)
_MOVES_ON = r"on the (?:go|move|road)|unterwegs|farten|onderweg|en route|matkalla"
_EXCUSE = r"(?:[.;,–-]?\s*(?:please )?(?:excuse|pardon|forgive)\b.{0,60}|[.;,–-]?\s*(?:ursäkta|entschuldig|désolé|scus)\w*\b.{0,60})?"
_LINK = r"(?:[:;]?\s*[<(\[]?https?://\S{1,200})?"
_FETCH = (
    r"get|download|hämta|skaffa|skaff(?: deg)?|få|hent|hanki|scarica|ottieni|obten\w*|obtén|obter|obtenha|baix\w+|téléchargez?|"
    r"télécharger|laden sie|holen sie sich|pobierz|uzyskaj|stáhn\w*"
)
_PHONE = re.compile(
    rf"(?:(?:{_SENT}\b|provenance ?:)[^.!?:]{{0,40}}?(?:{_DEVICE}|{_MOVES_ON})[^!?:]{{0,50}}|"
    r"(?:sent|secured) (?:from|via|with|using) (?:my |the |an? )?[\w'’-]{2,20}(?: [\w'’-]{2,20}){0,3}|"
    rf"(?:diese \S{{2,12}} wurde |sent )?(?:von|mit|über|aus)\b.{{0,50}}(?:{_DEVICE}|{_MOVES_ON}).{{0,40}}"
    r"(?:gesendet|gesandt|verschickt|geschickt|geschrieben)|"
    rf"(?:från min|fra min|från mobilen)\b.{{0,20}}(?:{_DEVICE})\S{{0,20}}|"
    rf"(?:{_FETCH}) (?:\S{{1,14}} ){{0,3}}(?:outlook|bluemail|thunderbird)\b.{{2,50}}|"
    r"(?:\S{1,14} ){0,3}outlook \S{1,6} (?:ios|android)(?: \S{1,20})?|"
    r"yahoo mail: \w+, \w+, \w+|발송|发自我的.{1,30}|.{1,30}から送信)"
    rf"{_LINK}[)\]>]?[.!]?{_EXCUSE}[.!]?{_LINK}[)\]>]?",
    re.IGNORECASE,
)
_MY_PHONE = re.compile(
    r"\s(?:sent from my|skickat från min|gesendet von meine[mr]|envoyé de mon|enviado desde mi|sendt fra min|inviato dal mio|"
    rf"verzonden vanaf mijn|verstuurd vanaf mijn) (?:{_DEVICE})[\w -]{{0,30}}[.]?$",
    re.IGNORECASE,
)
_JUST_A_LINK = re.compile(r"<?https?://\S+")
_BRACKETED_LINK = re.compile(r"\[([^\[\]]{1,60})\]\(https?://[^\s()]{1,200}\)")


def is_phone_line(line: str) -> bool:
    """A whole line that a phone or mail program adds below what was written."""
    said = _BRACKETED_LINK.sub(r"\1", line) if "](" in line else line
    return len(line) <= _LOOKED_AT and bool(_PHONE.fullmatch(said))


def is_link(line: str) -> bool:
    """Whether a line is the address of a page and nothing else."""
    return bool(_JUST_A_LINK.fullmatch(line[:_LOOKED_AT]))


def phone_words_at_end(line: str) -> int:
    """Where such words begin that a phone glued to the end of what was written; the length of `line` if nowhere."""
    found = _MY_PHONE.search(line[-_GLUED:])
    return len(line) - len(found[0]) if found else len(line)


_OUTSIDE = _words(
    r"outside|\bextern|utanför|utifrån|au(?:ß|ss)erhalb|extérieur|\butenfor|\buden ?for|\budefra|ulkopuol|\bbuiten\b|fuera|"
    r"\bestern|spoza|zewnętrzn"
)
_CORRESPONDENCE = _words(
    _MAIL,
    r"sender|avsändar|absender|expéditeur|remitente|afzender|afsender|avsender|lähettäj|mittente|nadawc",
)
_ORIGIN = _words(
    r"\bfrom\b|originat|\bsent\b|från|kommer|stammt|kommt|provien|originó|afkomstig|\bfra\b|lähetetty|pochodzi"
)
_CARE = _words(
    r"\bcaution|\bclick|\bklick|\bkli[kc]|\bcliqu|\bhaga clic|\blinks?\b|\blänk|\blien|\benlace|\blenke|\blinkk|attachment|"
    r"bilag|anhäng|jointes|adjunto|bijlage|vedhæft|vedlegg|liitte|allegat|załącznik|phish"
)
_ALARM = re.compile(
    r"\W{0,8}(?:caution|warning|external|attention|notice|obs|varning|extern[aet]?|achtung|vorsicht|warnung|advarsel|"
    r"varoitus|huomio|waarschuwing|let op|avertissement|attenzione|precaución|atención|uwaga)\b",
    re.IGNORECASE,
)
_BARE_BANNER = re.compile(
    r"\W{0,8}(?:(?:external|externt?|externe|esterno|externo)(?: e-?mail| mejl| mail| sender| message)?\W{0,8}$|"
    r"(?:this (?:e-?mail|message)|(?:detta|det här) (?:mejlet|meddelandet|mailet|meddelande|mejl)|diese (?:e-?mail|nachricht)) "
    r"(?:originated|came|was sent|is|kommer|skickades|kommt|stammt|wurde) "
    r"(?:from outside|from an external|utifrån|från en extern|von außerhalb|von extern)|"
    r"zjqcmqryfpfptbanner|some people who received this message don['’]t often|you don['’]t often get e?-?mail from|"
    r"du får inte ofta e-post från)|.{0,300}aka\.ms/learnaboutsenderidentification",
    re.IGNORECASE,
)
_BANNER_GOES_ON = _words(
    r"do not (?:click|open|reply)|links or|attachments? unless|recogni[sz]e the sender|content is safe|learn why this|"
    r"klicka inte|öppna inte|bilagor om|klicken sie|öffnen sie|cliquez pas|zjqcmqryfpfptbanner"
)


def is_banner(paragraph: str) -> bool:
    """Whether it begins as the warning of a gateway that was put above what was written."""
    said = paragraph.strip()[:_LOOKED_AT]
    warns = _ALARM.match(said) and _OUTSIDE.search(said) and _CORRESPONDENCE.search(said)
    return bool((warns and (_ORIGIN.search(said) or _CARE.search(said))) or _BARE_BANNER.match(said))


def goes_on_as_banner(line: str, *, adjacent: bool) -> bool:
    """Whether a line below a banner belongs to it. Right below it (`adjacent`), a word of links or attachments is enough."""
    said = line.strip()[:_LOOKED_AT]
    return bool(_BANNER_GOES_ON.search(said) or is_banner(said) or (adjacent and _CARE.search(said)))


_THIS_MAIL = re.compile(
    rf"\b(?:this|th[eo]se|detta|det här|denna|den här|diese[rs]?|cet?|cette|est[ea]|dit|deze|denne|dette|quest[oa]|tämä|ta|tej|"
    rf"niniejsz\w{{1,4}})\s(?:\w{{1,20}}[ -])?(?:{_MAIL}|communication|transmission|comunicación)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\W{0,8}(?:confidentiality|disclaimer|legal notice|privileged|aviso legal|avis de confidentialité|"
    r"the information (?:contained |transmitted )?(?:in|by)|if you (?:are not|have received)|informationen i|"
    r"de informatie (?:in|verzonden))",
    re.IGNORECASE,
)
_CONFIDENTIAL = _words(
    r"confidential|privileged|intended (?:solely|only|recipient|for)|in error|konfidenti|sekretess|obehörig|av misstag|"
    r"avse(?:tt|dd|r) (?:endast|enbart)|vertraulich|irrtümlich|confidentiel|confidencial|vertrouwelijk|fortrolig|"
    r"riservat|confidenzial|luottamuksel|taushet|poufn|virus"
)
_PROTECTED_DATA = _words(
    r"personuppgift|dataskydd|gdpr|personal data|privacy (?:policy|notice)|datenschutz|personenbezogen|données personnelles|"
    r"datos personales|persoonsgegevens|personopplysning|personvern|persondata|henkilötie|tietosuoja|dati personali|"
    r"danych osobowych"
)
_ADDRESS_OF_A_PAGE = _words(r"https?://|www\.")
_WHERE = _words(r"https?://|www\.|@")
_LETTER = _words(_MAIL)
_NATURE = _words(
    r"environment|miljö|umwelt|environnement|medio ?ambiente|meio ambiente|milieu|miljø|ympäristö|\bambiente\b|środowisk"
)
_PRINTING = _words(r"\bprint|skriv\w* ut|druck|imprim|udskriv|tulost|stamp[ai]|wydruk|afdruk")
_VIRUS = _words(r"virus|viren|virus-?frei|wirus")
_CHECKED = _words(
    r"avast|\bavg\b|mcafee|norton|f-secure|bitdefender|\beset\b|kaspersky|mailscanner|clamav|checked|scanned|virus-free|"
    r"virusfri"
)
_APPENDED = re.compile(
    r"\W{0,8}(?:(?:please )?(?:consider|think (?:of|about)) (?:the )?environment|tänk på miljön|"
    r"(?:bitte )?denken sie an die umwelt|denk aan het milieu|pensez à l['’]environnement|to unsubscribe|"
    r"this (?:e-?mail|message) (?:has been (?:checked|scanned)|was automatically generated by)|"
    r"you (?:received|are receiving) this (?:message|e-?mail) because|du får (?:detta|det här) (?:mejlet|meddelandet|mejl) för)",
    re.IGNORECASE,
)


def is_disclaimer(paragraph: str) -> bool:
    """Whether lawyers speak: of this mail, and of secrets, or of whose personal data are read where."""
    said = paragraph[:_LONGEST_PARAGRAPH]
    of_this_mail = _THIS_MAIL.search(said) or _HEADING.match(said)
    secret = of_this_mail and _CONFIDENTIAL.search(said)
    return bool(secret or (_PROTECTED_DATA.search(said) and _ADDRESS_OF_A_PAGE.search(said)))


def is_advertisement(paragraph: str) -> bool:
    """Whether a program speaks at the end: of trees, of viruses it did not find, of how to be rid of its mails."""
    said = paragraph[:_LOOKED_AT]
    families = ((_NATURE, _PRINTING, _LETTER), (_VIRUS, _CHECKED))
    known = any(all(words.search(said) for words in family) for family in families)
    return bool(_APPENDED.match(said) or (known and len(paragraph) < _LOOKED_AT))


RULER = re.compile(r"[-_=*~–—#]{3,200}|(?:-=){3,100}-?")
"""A line drawn across."""

_LIST = _words(
    r"mailing ?list|mailinglist|e-postlista|sändlista|epostliste|liste de diffusion|lista de correo|listinfo|"
    r"unsubscribe|avprenumerera|avanmäl|abmelden|austragen|désabonner|groups\.io|google ?groups"
)


def speaks_for_a_list(lines: Sequence[str]) -> bool:
    """Whether `lines` tell of a mailing list soon, and where it is found, as its footer does."""
    said = [line[:_LOOKED_AT] for line in lines if line.strip()]
    return any(map(_LIST.search, said[:3])) and any(map(_WHERE.search, said))
