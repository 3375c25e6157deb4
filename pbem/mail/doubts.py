"""A line that fits no form: is it ordinary prose, or a command gone wrong that must be asked back?

What lives here: the marks of a failed command, and the nearest right lines. What never may: deciding what
the sender meant. A wrong guess costs more than ten questions, and prose that is questioned costs a little too.

The words are in words.py, under these names: `loud` choices that are hardly ever anything else; `strong` openings that
are questioned even in the shortest line; `proposing` openings with a text below; `self` and `voting`: who
speaks, and of a vote; `doing` what the speaker then does; `matter` to what; `remarks` that begin like a ballot
and are none; `headings` before a bare number; `as others`: a vote like somebody else's; `conditions` that begin a
line which takes back the one before; `hanging` words that cannot end a sentence; `private`
openings of words for a few; `circles` whom such words are for, before a colon.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence

from pbem.mail.forms import CHOICES, OPENINGS, ROOT, VALUES, Match, Miss, forms_of, match
from pbem.mail.lines import Line
from pbem.mail.vocabulary import Language
from pbem.mail.words import ALL, VOCABULARY, shown

_FREE = {
    "status",
    "rules",
    "rule",
    "history",
    "scores",
    "proposals",
    "cases",
    "log",
    "help",
    "remove",
    "replace",
    "later",
}
"""Acts whose opening words are common in prose, and which lose no vote if they are not noticed."""


_ORDERS = {
    "extend",
    "close",
    "abstain",
    "pass turn",
    "remove",
    "replace",
    "correct",
    "void",
    "rerun",
    "undo",
    "ruling",
    "order clause",
    "winner",
}
"""The keeper's acts."""


def _words(name: str) -> frozenset[str]:
    return frozenset(word for table in ALL for word in table.doubt.get(name, ()))


_LOUD, _STRONG, _PROPOSING = _words("loud"), _words("strong") | frozenset(CHOICES), _words("proposing")
_SELF, _VOTING, _DOING = _words("self"), _words("voting"), _words("doing")
_MATTER, _HEADINGS = _words("matter"), _words("headings")
_REMARKS = frozenset(tuple(remark.split()) for remark in _words("remarks"))
_AS_OTHERS = frozenset(tuple(words.split()) for words in _words("as others"))
_PRIVATE, _CIRCLES = _words("private"), _words("circles")
_CONDITIONS, _HANGING = _words("conditions"), _words("hanging")
_THOSE = frozenset(words.split()[-1] for table in ALL for forms in table.those.values() for words in forms)
_VOTE_WORDS = _VOTING | frozenset(CHOICES) | {"-1"}
_MILD = frozenset(CHOICES) - _LOUD
_ACTING = _VOTING | _DOING
_AS_OTHERS_FIRST = frozenset(words[0] for words in _AS_OTHERS)
_COMMON = _SELF | frozenset(CHOICES)
_SECONDS = frozenset(word for node in (*ROOT.words.values(), ROOT.places["choice"]) for word in node.words)


def _vocabulary(language: Language) -> frozenset[str]:
    forms = " ".join(form for _, form in forms_of(VOCABULARY[language])).lower().split()
    return frozenset(forms).union(*VOCABULARY[language].choices.values())


_SWEDISH = _vocabulary("sv") - _vocabulary("en")


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
    return second in _SECONDS or second.isdecimal()


def is_worth_spelling(words: Sequence[str]) -> bool:
    """Whether a line past that sieve may be a command with its first word misspelt."""
    return len(words[0]) >= 4 and (len(words) <= 4 or words[1] in _SECONDS)


def looks_like_vote(line: Line) -> bool:
    """Whether a word for a vote is in the line, and nothing about a proposal's text."""
    return not opens_a_proposal(line) and any(token.word in _VOTE_WORDS for token in line.tokens)


def is_command_gone_wrong(line: Line, miss: Miss) -> bool:
    """Whether a line that fits no form must be asked back."""
    words = [token.word for token in line.tokens if token.word[-1].isalnum()]
    if not words or tuple(words[:2]) in _REMARKS or tuple(words[:3]) in _REMARKS:
        return False
    numbered = any(_is_number(word) for word in words)
    return (
        (miss.steps >= 2 and not miss.node.acts <= _FREE)
        or (numbered and len(words) <= 5 and _is_about_a_vote(words))
        or _is_short_command(words)
        or _is_for_few(line, words)
        or _is_order_cut_short(line, words, miss)
        or _speaks_of_own_vote(words, numbered)
        or _does_something(words, numbered)
        or (numbered and _shouts_a_vote(line))
        or (numbered and _names_a_number(line, words))
        or (len(words) <= 6 and (tuple(words[:2]) in _AS_OTHERS or tuple(words) in _AS_OTHERS))
    )


def _is_number(word: str) -> bool:
    return len(word) >= 3 and word.isdecimal()


def _is_about_a_vote(words: list[str]) -> bool:
    """`half a vote against 306`, `thanks for 301`; but `see 301 for details` is none."""
    return any(
        word in _VOTE_WORDS and (word not in _MILD or at + 1 == len(words) or _is_number(words[at + 1]))
        for at, word in enumerate(words)
    )


def _is_short_command(words: list[str]) -> bool:
    """`propose something`, `yes please`, `well, no`, `for all of these`."""
    few = 5 if words[0] in CHOICES and not _THOSE.isdisjoint(words[1:4]) else 3
    if len(words) > few:
        return False
    return words[0] in _STRONG or not _LOUD.isdisjoint(words)


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
        if word in _DOING:
            speaks = not _SELF.isdisjoint(words[max(0, at - 2) : at + 2])
            if speaks and (numbered or not _MATTER.isdisjoint(words[at:])):
                return True
    return False


def _shouts_a_vote(line: Line) -> bool:
    """`FOR 301` in capitals within a sentence."""
    tokens = [token for token in line.tokens if token.word[-1].isalnum()]
    for at, token in enumerate(tokens):
        shouted = token.word in CHOICES and line.raw[token.start : token.end].isupper()
        if shouted and any(_is_number(near.word) for near in tokens[max(0, at - 1) : at + 3]):
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


def takes_back(line: str) -> bool:
    """Whether this line goes on with a condition on the one above: "if the comma is mended"."""
    words = line.split(maxsplit=1)
    return bool(words) and words[0].rstrip(",") in _CONDITIONS


# ---- the nearest right lines ----


def mended(line: Line, miss: Miss) -> tuple[Match, ...]:
    """What the line says when one or two misspelt words are put right; () for most prose."""
    if not line.tokens or (miss.at == 0 and len(line.tokens) > 4 and line.word(1) not in _SECONDS):
        return ()
    return tuple(_mend(line, miss, _respelt, again=True))


def _mend(
    line: Line, miss: Miss, edits: Callable[[Line, Miss], Iterator[str]], *, again: bool = False
) -> Iterator[Match]:
    for raw in edits(line, miss):
        edited = Line.of(raw)
        found = match(edited)
        if isinstance(found, Match):
            yield found
        elif again and found.at > miss.at:
            yield from _mend(edited, found, edits)


def _respelt(line: Line, miss: Miss) -> Iterator[str]:
    """The line with the word that does not fit spelt like one that would."""
    if miss.at == len(line.tokens):
        return
    word, start, end = line.tokens[miss.at]
    if len(word) >= (3 if miss.steps else 4):
        cutoff = 0.75 if miss.steps else 0.82
        expected = [near for near in _expected(miss) if abs(len(near) - len(word)) <= 2]
        for near in sorted(difflib.get_close_matches(word, expected, n=2, cutoff=cutoff)):
            yield line.raw[:start] + near + line.raw[end:]


def _with_colon(line: Line, miss: Miss) -> Iterator[str]:
    """The line with a colon before the word that does not fit."""
    if ":" in miss.node.words and miss.at < len(line.tokens):
        start = line.tokens[miss.at].start
        yield f"{line.raw[:start].rstrip()}: {line.raw[start:]}"


def _expected(miss: Miss) -> set[str]:
    words = set(miss.node.words)
    for place in miss.node.places:
        words |= set(CHOICES if place == "choice" else VALUES.get(place, ()))
    return words


def nearest(line: Line, miss: Miss) -> tuple[Match, ...]:
    """The right lines nearest to one that has gone wrong, best first."""
    return (
        mended(line, miss)
        or tuple(_mend(line, miss, _with_colon))
        or _cut_short(line, miss)
        or _said_in_a_sentence(line)
        or tuple(_ballots(line))
        or _cut_short(line, miss, losing=True)
    )


def _cut_short(line: Line, miss: Miss, *, losing: bool = False) -> tuple[Match, ...]:
    """The line up to what does not fit: `withdraw 301 please`; a number or vote in the rest is lost only if `losing`."""
    rest = line.tokens[miss.at :]
    told = any(_is_number(token.word) or token.word in CHOICES for token in rest)
    if miss.at == 0 or (told and not losing):
        return ()
    fits = line.raw[: rest[0].start] if rest else line.raw
    found = match(Line.of(fits.rstrip(" :-=,")))
    return (found,) if isinstance(found, Match) else ()


def _said_in_a_sentence(line: Line) -> tuple[Match, ...]:
    """`I hereby withdraw 301`: from the verb on."""
    verb = next((token for token in line.tokens[1:] if token.word in _DOING), None)
    if verb is None:
        return ()
    act = Line.of(line.raw[verb.start :])
    found = match(act)
    if isinstance(found, Match):
        return (found,)
    return mended(act, found) or _cut_short(act, found)


def _choices(line: Line) -> list[str]:
    return [token.word for token in line.tokens if token.word in CHOICES]


def _ballots(line: Line) -> Iterator[Match]:
    """The ballots that a line with votes or numbers in it may stand for."""
    numbers = list(dict.fromkeys(token.word for token in line.tokens if _is_number(token.word)))
    choices = _choices(line)
    if opens_a_proposal(line) or not (
        choices or (numbers and _DOING.isdisjoint(token.word for token in line.tokens))
    ):
        return
    if len({CHOICES[word] for word in choices}) == 1:
        pairs = [(choices[0], number) for number in numbers or [""]]
    elif len(choices) == len(numbers):
        pairs = list(zip(choices, numbers, strict=True))
    else:
        pairs = [(word, number) for number in numbers or [""] for word in _both(line)]
    for word, number in pairs:
        found = match(Line.of(f"{word} {number}"))
        if isinstance(found, Match):
            yield found


def _both(line: Line) -> list[str]:
    """For and against, in the language of the line."""
    table = VOCABULARY["sv" if any(token.word in _SWEDISH for token in line.tokens) else "en"]
    return [words[0] for words in table.choices.values()]


def examples(line: Line) -> tuple[str, ...]:
    """The forms that begin most like the line (or like what its speaker does), with its number filled in."""
    opening = next((token.word for token in line.tokens if token.word in _DOING), line.word(0))
    near = difflib.get_close_matches(opening, ROOT.words, n=1, cutoff=0.82)
    words = [*near, *(token.word for token in line.tokens[1:])]
    alike = [(_shared(form, words), form, language) for form, language in _PLAINEST]
    most = max(shared for shared, _, _ in alike)
    if most == 0:
        return tuple(shown(VOCABULARY[language].forms["vote"][0], language) for language in VOCABULARY)
    numbers = [token.word for token in line.tokens if _is_number(token.word)]
    known = {"rule": numbers[0], "number": numbers[0]} if numbers else {}
    return tuple(shown(form, language, **known) for shared, form, language in alike if shared == most)


def _shared(form: str, words: Sequence[str]) -> int:
    """How many words at their beginning are the same."""
    pairs = list(zip(form.split(), words, strict=False))
    return next((n for n, (one, other) in enumerate(pairs) if one.rstrip(":") != other), len(pairs))


_PLAINEST = [(forms[0], language) for language, table in VOCABULARY.items() for forms in table.forms.values()]
