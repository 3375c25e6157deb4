"""A line that fits no form: is it ordinary prose, or a command gone wrong that must be asked back?

What lives here: the marks of a failed command. What never may: deciding what
the sender meant. A wrong guess costs more than ten questions, and prose that is questioned costs a little too.

The words are in words.py, under these names: `loud` choices that are hardly ever anything else; `strong` openings that
are questioned even in the shortest line; `proposing` openings with a text below; `self` and `voting`: who
speaks, and of a vote; `doing` what the speaker then does; `matter` to what; `kinds` of change, said without `propose`; `remarks` that begin like a ballot
and are none; `headings` before a bare number; `as others`: a vote like somebody else's; `conditions` that begin a
line which takes back the one before; `denials` that turn what is said round; `kindness` that may follow a ballot;
`ballots` in a heading above one's own; `hanging` words that cannot end a sentence; `private`
openings of words for a few; `circles` whom such words are for, before a colon.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.mail.forms import Match, Miss, match, says_for_another
from pbem.mail.lines import Line
from pbem.mail.tree import CHOICES, OPENINGS, ROOT
from pbem.mail.words import ALL

_OF_THE_GAME = {
    "remove",
    "replace",
    "invite",
    "admit",
    "address",
    "pause",
    "resume",
    "continue",
    "end game",
}
"""The keeper's acts about who plays, and about the game itself."""
_FREE = _OF_THE_GAME | {
    "status",
    "rules",
    "rules between",
    "rule",
    "history",
    "scores",
    "proposals",
    "cases",
    "log",
    "help",
    "say for",
}
"""Acts whose opening words are common in prose, and which lose no vote if they are not noticed."""


_ORDERS = _OF_THE_GAME | {
    "extend",
    "close",
    "abstain",
    "pass turn",
    "correct",
    "void",
    "rerun",
    "undo",
    "ruling",
    "order clause",
    "winner",
    "reopen",
    "announce",
    "pass keepership",
}
"""The keeper's acts."""


_FIRST_LINE = 400
_FEW_WORDS = 12
"""Words in an answer to a ballot paper that a person might think to be a ballot."""


def _words(name: str) -> frozenset[str]:
    return frozenset(word for table in ALL for word in table.doubt.get(name, ()))


_LOUD, _STRONG, _PROPOSING = _words("loud"), _words("strong") | frozenset(CHOICES), _words("proposing")
_SELF, _VOTING, DOING = _words("self"), _words("voting"), _words("doing")
_MATTER, _HEADINGS, KINDS = _words("matter"), _words("headings"), _words("kinds")
_REMARKS = frozenset(tuple(remark.split()) for remark in _words("remarks"))
_AS_OTHERS = frozenset(tuple(words.split()) for words in _words("as others"))
_PRIVATE, _CIRCLES = _words("private"), _words("circles")
_CONDITIONS, _HANGING = _words("conditions"), _words("hanging")
_TURNING = _CONDITIONS | _words("denials")
_KIND = _words("kindness")
_DENYING = frozenset({"not", "never", "don't", "cannot", "can't", "won't", "inte", "aldrig", "ej"})
_THOSE = frozenset(words.split()[-1] for table in ALL for forms in table.those.values() for words in forms)
_VOTE_WORDS = _VOTING | frozenset(CHOICES) | {"-1"}
_MILD = frozenset(CHOICES) - _LOUD
_ACTING = _VOTING | DOING
_AS_OTHERS_FIRST = frozenset(words[0] for words in _AS_OTHERS)
_COMMON = _SELF | frozenset(CHOICES)
BALLOTS = frozenset(("vote", "vote if", "vote as"))
"""The acts that cast one."""
SECONDS = frozenset(word for node in (*ROOT.words.values(), ROOT.places["choice"]) for word in node.words)


def is_worth_reading(words: Sequence[str], numbered: bool) -> bool:
    """A cheap sieve: False only for a line that can be neither a command nor a command gone wrong.

    `words` are folded and without signs; `numbered`: a number of three digits or more is among them.
    """
    first = words[0]
    if first in _COMMON and len(words) > 5 and not numbered and not _goes_on(words[1]):
        return False
    if (
        first in OPENINGS
        or first in _AS_OTHERS_FIRST
        or first in _CIRCLES
        or first in KINDS
        or (first.isdecimal() and len(words) > 1)
    ):
        return True
    if len(words) <= 5 and (numbered or not _LOUD.isdisjoint(words)):
        return True
    if numbered and not _VOTE_WORDS.isdisjoint(words):
        return True
    return not (_SELF.isdisjoint(words) or _ACTING.isdisjoint(words))


def _goes_on(second: str) -> bool:
    """Whether a word may be the second of a command: `for 7 if 8 fails, otherwise against`."""
    return second in SECONDS or second.isdecimal()


def is_worth_spelling(words: Sequence[str]) -> bool:
    """Whether a line past that sieve may be a command with its first word misspelt."""
    return len(words[0]) >= 4 and (len(words) <= 4 or words[1] in SECONDS)


def sets_a_condition(line: Line) -> bool:
    """`for 301 if Dan agrees`: without its condition the ballot would be another one."""
    return any(token.word in _CONDITIONS for token in line.tokens[1:])


def looks_like_vote(line: Line) -> bool:
    """Whether a word for a vote is in the line, and nothing about a proposal's text."""
    return not opens_a_proposal(line) and any(token.word in _VOTE_WORDS for token in line.tokens)


def is_command_gone_wrong(line: Line, miss: Miss) -> bool:
    """Whether a line that fits no form must be asked back."""
    words = [token.word for token in line.tokens if token.word[-1].isalnum()]
    if not words or tuple(words[:2]) in _REMARKS or tuple(words[:3]) in _REMARKS:
        return False
    numbered = any(is_number(word) for word in words)
    return (
        (miss.steps >= 2 and not miss.node.acts <= _FREE)
        or _is_our_example(line, miss)
        or (numbered and len(words) <= 5 and _is_about_a_vote(words))
        or _is_short_command(words)
        or _is_short_vote(words)
        or (numbered and _is_bare_change(words))
        or _is_for_few(line, words)
        or _is_order_cut_short(line, words, miss)
        or _speaks_of_own_vote(words, numbered)
        or _does_something(words, numbered)
        or (numbered and _shouts_a_vote(line))
        or (numbered and _names_a_number(line, words))
        or (len(words) <= 6 and (tuple(words[:2]) in _AS_OTHERS or tuple(words) in _AS_OTHERS))
        or _is_said_for_another(line, miss)
        or _tells_an_address(line, words)
    )


def _tells_an_address(line: Line, words: list[str]) -> bool:
    """`invite dan@dahl.example`: as words to everyone it would be published."""
    opening = ROOT.words.get(words[0])
    about_people = opening is not None and not opening.acts.isdisjoint({"invite", "address", "add address"})
    return about_people and any(token.word == "@" for token in line.tokens)


def _is_said_for_another(line: Line, miss: Miss) -> bool:
    """`as Bo: for 301 and 302 against`: what stands after the colon is a command, or one gone wrong."""
    if "command" not in miss.node.places or miss.at >= len(line.tokens):
        return False
    said = Line.of(line.raw[line.tokens[miss.at].start :])
    if says_for_another(said):
        return True
    found = match(said)
    return isinstance(found, Match) or is_command_gone_wrong(said, found)


def _is_our_example(line: Line, miss: Miss) -> bool:
    """`extend <TIME, as 2d or 12h>`: a form of our own that was sent back as it stood."""
    return miss.steps > 0 and miss.at < len(line.tokens) and line.tokens[miss.at].word == "<"


def is_number(word: str) -> bool:
    return len(word) >= 3 and word.isdecimal()


def _is_about_a_vote(words: list[str]) -> bool:
    """`half a vote against 306`, `thanks for 301`; but `see 301 for details` is none."""
    return any(
        word in _VOTE_WORDS and (word not in _MILD or at + 1 == len(words) or is_number(words[at + 1]))
        for at, word in enumerate(words)
    )


def _is_short_command(words: list[str]) -> bool:
    """`propose something`, `yes please`, `well, no`, `for all of these`."""
    few = 5 if words[0] in CHOICES and not _THOSE.isdisjoint(words[1:4]) else 3
    if len(words) > few:
        return False
    return words[0] in _STRONG or not _LOUD.isdisjoint(words)


def _is_short_vote(words: list[str]) -> bool:
    """`half a vote against`, `count my vote as no`: few words, of a vote and of which."""
    return len(words) <= 5 and not _VOTING.isdisjoint(words) and not CHOICES.keys().isdisjoint(words)


def _is_bare_change(words: list[str]) -> bool:
    """`Amend Rule 206 by replacing 10 with 5`, `check repeal 204`: a change that is not proposed outright."""
    kind, *rest = words[1:] if len(words) > 1 and words[0] in _PROPOSING else words
    return kind in KINDS and bool(rest) and (rest[0] in _MATTER or is_number(rest[0]))


def _is_for_few(line: Line, words: list[str]) -> bool:
    """`press team Hush`, `lagpost`, `team: hush`: words that are not for everybody must never reach everybody."""
    if words[0] in _PRIVATE or " ".join(words[:2]) in _PRIVATE:
        return True
    return words[0] in _CIRCLES and any(token.word == ":" for token in line.tokens[:3])


def _is_order_cut_short(line: Line, words: list[str], miss: Miss) -> bool:
    """A command's word alone, or an order of the keeper's with nothing fitting it: `void`, `remove Bo:`."""
    opening = ROOT.words.get(words[0])
    if opening is None or miss.steps == 0:
        return False
    return len(words) == 1 or (
        not opening.acts.isdisjoint(_ORDERS) and any(token.word == ":" for token in line.tokens[:7])
    )


def _speaks_of_own_vote(words: list[str], numbered: bool) -> bool:
    """`I would never vote for 301`, `on balance I vote FOR 323. Two wishes`."""
    return numbered and any(
        word in _SELF and not _VOTING.isdisjoint(words[at + 1 : at + 4]) for at, word in enumerate(words)
    )


def _does_something(words: list[str], numbered: bool) -> bool:
    """`I also propose that rule 105 be repealed`: the speaker's act, said in a sentence."""
    for at, word in enumerate(words):
        if word in DOING:
            speaks = not _SELF.isdisjoint(words[max(0, at - 2) : at + 2])
            if speaks and (numbered or not _MATTER.isdisjoint(words[at:])):
                return True
    return False


def _shouts_a_vote(line: Line) -> bool:
    """`FOR 301` in capitals within a sentence."""
    tokens = [token for token in line.tokens if token.word[-1].isalnum()]
    for at, token in enumerate(tokens):
        shouted = token.word in CHOICES and line.raw[token.start : token.end].isupper()
        if shouted and any(is_number(near.word) for near in tokens[max(0, at - 1) : at + 3]):
            return True
    return False


def _names_a_number(line: Line, words: list[str]) -> bool:
    """`ROOT on 306`, `root 306`: a word nobody knows and a proposal; but not a heading."""
    if len(words) > 3 or words[0] in _HEADINGS or not words[0].isalpha() or line.tokens[-1].word == ":":
        return False
    return len(words[-1]) == 3 and words[-1].isdecimal() and (len(words) == 2 or words[1] in _PREPOSITIONS)


_PREPOSITIONS = frozenset(word for table in ALL for word in table.before_number)


def opens_a_proposal(line: Line) -> bool:
    """Whether what stands below the line is the text of a rule, however wrong the line is."""
    return line.word(0) in _PROPOSING


def goes_on(line: str) -> bool:
    """Whether this line of prose is not at the end of its sentence, so that the next cannot be a command.

    Mail programs break lines: "… I will never vote / for 301" must not be a ballot.
    """
    said = line.rstrip()
    if not said or said[-1] in ".!?:;…)\"”'’*_-":
        return False
    return len(said) >= 50 or said.split()[-1].lower() in _HANGING


def speaks_of_a_vote(row: str) -> bool:
    """Whether a quoted row holds a ballot, or speaks of one: `against 302`, `I vote no`, `Dan rejects it`."""
    words = {token.word for token in Line.of(row[:400]).tokens}
    return not words.isdisjoint(_VOTING | frozenset(CHOICES) | _words("rejecting"))


def is_kind(words: Sequence[str]) -> bool:
    """Whether these words after a ballot are mere kindness: `nice one`, `bra idé`. Of any other words, who knows?"""
    return _KIND.issuperset(words)


def turns_round(word: str) -> bool:
    """Whether a line that begins with this word may turn round what stands above it."""
    return word in _TURNING


def is_loud(word: str) -> bool:
    """Whether a word is hardly ever anything but a ballot."""
    return word in _LOUD


def speaks_of_votes(line: str) -> bool:
    """Whether a heading says that the sender's own votes follow: `My votes:`, `Röster:`."""
    words = {token.word for token in Line.of(line).tokens}
    return not words.isdisjoint(_SELF | _VOTING | _words("ballots"))


def denies(line: str) -> bool:
    """Whether a line says no to something: `Don't count me`."""
    return any(token.word in _DENYING for token in Line.of(line).tokens)


def is_left_hanging(line: str) -> bool:
    """Whether the last word of a line waits for more: `I would have voted`."""
    said = line.rstrip()
    return bool(said) and said.split()[-1].lower() in _HANGING


def ends_short(line: str) -> bool:
    """Whether this line ends a sentence long before the margin: what stands below is a signature rather than more of it."""
    said = line.rstrip()
    return len(said) < 50 and said.endswith((".", "!", "?"))


def may_be_a_ballot(text: str) -> bool:
    """Whether words in answer to a ballot paper rather vote than debate: `For - but only if …`, `mot. vill inte`, `I'm for it`."""
    line = Line.of(text.lstrip().split("\n", 1)[0][:_FIRST_LINE])
    words = [token.word for token in line.tokens if token.word[-1].isalnum()]
    chosen = [word for word in words if word in CHOICES]
    begins = line.word(0) in CHOICES and (not line.word(1)[:1].isalnum() or len(chosen) > 1)
    return begins or (len(text.split()) <= _FEW_WORDS and bool(chosen) and not _SELF.isdisjoint(words[:3]))


def takes_back(line: str) -> bool:
    """Whether this line goes on with a condition on the one above: "if the comma is mended"."""
    words = line.split(maxsplit=1)
    return bool(words) and words[0].rstrip(",") in _CONDITIONS
