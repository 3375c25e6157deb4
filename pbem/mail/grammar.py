"""Text to commands: what a mail asks of the game, line by line, and which lines must be asked back.

What lives here: the one pass over a text. What never may: guessing. A line is understood whole, or it is a
`Problem`, or it is prose; what the words are is in words.py, what a line fits in forms.py.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from itertools import islice

from pbem.game.commands import Check, Command, Propose, Revise, Vote
from pbem.game.model import Choice, Problem, Say, say
from pbem.mail import doubts, nearest, neighbours
from pbem.mail.acts import amends, commands_of, open_place, spoken, takes_text, with_words
from pbem.mail.forms import Match, Miss, match
from pbem.mail.lines import Line
from pbem.mail.places import MOST_COMMANDS
from pbem.mail.proposal_text import NO_TEXT, Written, end_of_text, read_text
from pbem.mail.readings import Reading, Understood, without_disputes
from pbem.mail.rows import NO_ROWS, Rows, answer
from pbem.mail.tree import AND, CHOICE_LANGUAGES, CHOICES, INSIDE, SAY_FOR
from pbem.mail.words import VOCABULARY, shown

_MOST_LINES = 1_000
"""Lines looked at closely in one mail; a person's mail has a few dozen that might be commands."""
_MOST_SPELT = 60
"""Lines compared with the vocabulary for a slip of the pen; the costly part."""
_LONGEST_LINE = 2_000
_LONGEST_SAID = 200
_MOST_CURES = 4
_MOST_ANDS = 4
"""Words for “and” in one line at which it is read as two commands; a person's has one or two."""

_FOLDED = str.maketrans(dict.fromkeys('“”„‟«»″"*_.,;:!?()[]–—−‐‑-…', " ") | dict.fromkeys("‘’‚‛′", "'"))
_NUMBER = re.compile(r"[0-9]{3}")
_EITHER: tuple[Choice, Choice] = ("for", "against")
_SHORT_ANSWER = 3
"""Words under a quoted row that are rather an answer than a remark on it."""
_NEVER_JOINED = (INSIDE, "vote if", "keep", "drop", SAY_FOR)
_HANGS = say("A ballot can hang on the outcome of another proposal, and on nothing else.")
_WHICH = say("Which proposals do you mean? Say their numbers, or send one of these lines.")
_SAYING_FOR = tuple(shown(table.forms[SAY_FOR][0], language) for language, table in VOCABULARY.items())
_ENDS = frozenset(table.end for table in VOCABULARY.values())


def read_commands(text: str, subject: str = "", most: int = MOST_COMMANDS, rows: Rows = NO_ROWS) -> Reading:
    """What `text` (the new words of a mail, lines ended by LF) asks for. Never raises, never guesses.

    `subject` (without Re: and tags) is read only if there is no text, and only if it is a whole command.
    `most` is how many commands are read; MOST_COMMANDS bounds it. `rows` is what quoted rows above its lines name.
    """
    if not text.strip():
        return Reading(_subject(subject), "")
    reading = _Reading(text.split("\n"), most, rows)
    reading.run()
    return Reading(without_disputes(reading.read), "\n".join(reading.prose).strip())


def _subject(subject: str) -> tuple[Understood | Problem, ...]:
    found = match(Line.of(subject))
    if not isinstance(found, Match):
        return ()
    if found.act == INSIDE:
        return (_outside(0, subject.strip()),)
    return _understood(0, subject.strip(), found, NO_TEXT)


def _understood(line: int, said: str, found: Match, written: Written) -> tuple[Understood, ...]:
    language = next(iter(found.languages)) if len(found.languages) == 1 else None
    commands = commands_of(found, said, written)
    return tuple(Understood(line, said, command, language, written.closed) for command in commands)


def _outside(line: int, said: str) -> Problem:
    """A line of a proposal's text that stands outside one."""
    why = say("This belongs among the lines of a proposal. Send the whole proposal again with it.")
    return Problem(line, said, why)


@dataclass(slots=True)
class _Reading:
    """A text half read. `at` is the index of the next line, `spelt` and `looked` count the costly lines."""

    lines: list[str]
    most: int
    rows: Rows
    read: list[Understood | Problem] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    at: int = 0
    looked: int = 0
    spelt: int = 0
    last_prose: int = -1

    def run(self) -> None:
        folded = unicodedata.normalize("NFC", "\n".join(self.lines)).translate(_FOLDED).lower().split("\n")
        while self.at < len(self.lines):
            if self._is_answer():
                continue
            if not self._is_candidate(folded[self.at]):
                self._keep_as_prose()
            elif self.looked >= _MOST_LINES or len(self.read) >= self.most:
                self._stop()
            else:
                self.looked += 1
                self._take(Line.of(self.lines[self.at][:_LONGEST_LINE]))

    def _is_answer(self) -> bool:
        """Whether the line answers the quoted row above it; then it is read, and the next one is up."""
        at = self.at
        number, others = self.rows.under.get(at + 1), self.rows.doubtful.get(at + 1, ())
        if number is None and not others:
            return False
        line = Line.of(self.lines[at][:_LONGEST_LINE])
        choice = answer(line)
        piece = self.lines[at : at + 1 + self.rows.last_below(at + 1)]
        if number is not None and choice is not None and neighbours.doubt(piece, 0, bare=True) is None:
            language = next(iter(CHOICE_LANGUAGES.get(line.word(0), ())), None)
            self.read.append(
                Understood(at + 1, self._said(at), Vote(choice, number, self._said(at)), language)
            )
        elif self._may_be_an_answer(line, choice, doubtful=number is None):
            asked = (number,) if number is not None else others
            votes = tuple(Vote(each, one) for one in asked for each in _EITHER)
            self._problem(at, _under_a_row(asked), votes[:_MOST_CURES])
        else:
            return False
        self.at += 1
        return True

    def _may_be_an_answer(self, line: Line, choice: Choice | None, *, doubtful: bool) -> bool:
        """Whether words under a row are rather an answer than a remark on it. Numbered ballots speak for themselves."""
        found = match(line)
        if isinstance(found, Match):
            return found.act == "vote" and "numbers" not in found.values and "those" not in found.values
        few = len(line.tokens) <= _SHORT_ANSWER and not doubtful
        return choice is not None or few or line.word(0) in CHOICES

    def _is_candidate(self, folded: str) -> bool:
        words = folded.split()
        if not words or words[0].startswith(">"):
            return False
        if doubts.is_worth_reading(words, _NUMBER.search(folded) is not None):
            return True
        if self.spelt >= _MOST_SPELT or not doubts.is_worth_spelling(words):
            return False
        self.spelt += 1
        return True

    def _keep_as_prose(self) -> None:
        self.prose.append(self.lines[self.at])
        self.last_prose = self.at
        self.at += 1

    def _stop(self) -> None:
        why = say(
            "A mail holds %(most)d commands at most. From this line on nothing was read; send the rest again.",
            most=self.most,
        )
        self._problem(self.at, why)
        self.at = len(self.lines)

    def _problem(self, at: int, why: Say, cure: tuple[object, ...] = ()) -> None:
        self.read.append(Problem(at + 1, self._said(at), why, cure))

    def _said(self, at: int) -> str:
        return self.lines[at].strip()[:_LONGEST_SAID]

    def _take(self, line: Line) -> None:
        found = match(line)
        if isinstance(found, Miss):
            both = joined(line)
            if both and not self._goes_on():
                self._take_both(both)
            else:
                self._take_miss(line, found)
        elif found.act == INSIDE:
            self._take_inside(found)
        else:
            self._take_match(found)

    def _take_both(self, both: tuple[Match, Match]) -> None:
        """A line that is two commands: neither takes a text from the lines below."""
        said = self._said(self.at)
        understood = [each for found in both for each in _understood(self.at + 1, said, found, NO_TEXT)]
        self.at += 1
        self.read.extend(understood)

    def _take_inside(self, found: Match) -> None:
        if found.form not in _ENDS or not self._follows_proposal():
            self.read.append(_outside(self.at + 1, self._said(self.at)))
        self.at += 1

    def _follows_proposal(self) -> bool:
        """An `end` below a proposal that takes no text ends nothing, and harms nothing."""
        last = self.read[-1] if self.read else None
        return isinstance(last, Understood) and isinstance(last.command, Propose | Check | Revise)

    def _take_match(self, found: Match) -> None:
        begun, goes_on = self.at, self._goes_on()
        if goes_on and not found.values and not takes_text(found.act):
            self._keep_as_prose()
            return
        if found.values.get("those") == "these":
            self._take_these(found)
            return
        written, problems = self._text_below(found)
        if problems:
            self.read.extend(problems)
            return
        found = self._with_paragraph(found)
        understood = _understood(begun + 1, self.lines[begun].strip(), found, written)
        doubt = self._doubt(begun, found, goes_on=goes_on)
        if doubt is not None:
            self._problem(begun, doubt, tuple(one.command for one in understood[:_MOST_CURES]))
        elif len(self.read) + len(understood) > self.most:
            self.at = begun
            self._stop()
        else:
            self.read.extend(understood)

    def _take_these(self, found: Match) -> None:
        """A ballot for all that the quoted rows of the mail name; without any it is asked back."""
        choice, named = found.values["choice"], self.rows.these(self.at + 1)
        doubt = self._doubt(self.at, found, goes_on=self._goes_on())
        if doubt is None and named and self.rows.about is None:
            of_rows = replace(found, values={**found.values, "numbers": named})
            self.read.extend(_understood(self.at + 1, self._said(self.at), of_rows, NO_TEXT))
        else:
            votes = tuple(Vote(choice, number) for number in named)
            self._problem(self.at, doubt or _WHICH, votes or (Vote(choice, "all"),))
        self.at += 1

    def _goes_on(self) -> bool:
        """Whether the line goes on with a sentence of prose in the line above."""
        return self.at > 0 and self.last_prose == self.at - 1 and doubts.goes_on(self.lines[self.at - 1])

    def _text_below(self, found: Match) -> tuple[Written, tuple[Problem, ...]]:
        """The text under a line that takes one. Goes on to the line after it."""
        begin = self.at + 1
        self.at = begin
        act = spoken(found).act
        if not takes_text(act):
            return NO_TEXT, ()
        until = end_of_text(self.lines, begin)
        self.at = until + 1
        return read_text(self.lines, begin, until, amends=amends(act))

    def _with_paragraph(self, found: Match) -> Match:
        """The match with the rest of the paragraph that its last words begin. Goes on to the line after it."""
        place = open_place(found)
        if place is None:
            return found
        words = [spoken(found).values[place]]
        while self._is_in_paragraph() and not doubts.ends_short(self.lines[self.at - 1]):
            words.append(self.lines[self.at].strip())
            self.at += 1
        return with_words(found, place, " ".join(words))

    def _is_in_paragraph(self) -> bool:
        """Whether the next line is words, and no command of its own."""
        line = self.lines[self.at].strip() if self.at < len(self.lines) else ""
        return (
            bool(line) and not line.startswith(">") and isinstance(match(Line.of(line[:_LONGEST_LINE])), Miss)
        )

    def _doubt(self, at: int, found: Match, *, goes_on: bool) -> Say | None:
        """Why a whole command may be no command: its neighbours make it part of a sentence."""
        if len(self.lines[at]) > _LONGEST_LINE:
            return say("This line is too long for a command.")
        if goes_on:
            return say(
                "This line goes on with the sentence above it. If it is a command, put an empty line before it."
            )
        below = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        if not (takes_text(spoken(found).act) or open_place(found)) and doubts.takes_back(below):
            return say(
                "The line below seems to make a condition. If this is a command, put an empty line after it."
            )
        if found.act in doubts.BALLOTS:
            return neighbours.doubt(self.lines, at, bare="numbers" not in found.values)
        return None

    def _take_miss(self, line: Line, miss: Miss) -> None:
        at, careful = self.at, self.spelt < _MOST_SPELT
        self.spelt += 1
        wrong = doubts.is_command_gone_wrong(line, miss) or (careful and nearest.mended(line, miss))
        if not wrong or (self._goes_on() and not _NUMBER.search(line.raw)):
            self._keep_as_prose()
            return
        if "command" in miss.node.places:
            self._take_said_for_another(line, miss)
            return
        near = nearest.nearest(line, miss) if careful else ()
        cures = dict.fromkeys(command for found in near for command in self._cure(at, found))
        cure = tuple(cures)[:_MOST_CURES]
        self._pass_text(at, line, near)
        if doubts.sets_a_condition(line) and any(isinstance(command, Vote) for command in cure):
            self._problem(at, _HANGS, nearest.HANGING_BALLOTS)
            return
        why = _why(line, miss, cure)
        self._problem(at, why, cure or (nearest.examples(line)[:_MOST_CURES] if careful else ()))

    def _take_said_for_another(self, line: Line, miss: Miss) -> None:
        """What the keeper says for a player is never offered as the keeper's own."""
        begun, rest = self.at, line.tokens[miss.at :]
        self._pass_text(begun, Line.of(line.raw[rest[0].start :] if rest else ""), ())
        self._problem(begun, _why(line, miss, ()), _SAYING_FOR)

    def _cure(self, at: int, found: Match) -> tuple[Command, ...]:
        """The commands that a line near to the one at `at` gives, with the text below."""
        if found.act == INSIDE:
            return ()
        self.at = at
        return commands_of(found, written=self._text_below(found)[0])

    def _pass_text(self, at: int, line: Line, near: tuple[Match, ...]) -> None:
        """Goes on past the line; past the text below it if it was meant to open one: that is never read for commands."""
        has_text = any(takes_text(spoken(found).act) for found in near)
        if has_text or (not near and doubts.opens_a_proposal(line)):
            self.at = end_of_text(self.lines, at + 1) + 1
        else:
            self.at = at + 1


def _under_a_row(numbers: tuple[int, ...]) -> Say:
    if len(numbers) == 1:
        return say(
            "These words stand under a row about proposal %(number)d. If they are your ballot there, write its number.",
            number=numbers[0],
        )
    return say(
        "These words stand under a row about proposals %(numbers)s. If they are a ballot, write its number.",
        numbers=", ".join(map(str, numbers)),
    )


def joined(line: Line) -> tuple[Match, Match] | None:
    """The two commands of a line that is one, a word for “and”, and another: `I vote for 301 and I consent`."""
    ands = (at for at in range(1, len(line.tokens) - 1) if line.word(at) in AND)
    for at in islice(ands, _MOST_ANDS):
        both = tuple(match(Line.of(line.between(*part))) for part in ((0, at), (at + 1, len(line.tokens))))
        match both:
            case Match() as one, Match() as other if _stand_alone(one, other):
                return one, other
    return None


def _stand_alone(*commands: Match) -> bool:
    """Whether none belongs into a text or has one below it, carries a condition for the other, or is half a ballot."""
    return not any(
        found.act in _NEVER_JOINED
        or takes_text(found.act)
        or (found.act == "vote" and "numbers" not in found.values)
        for found in commands
    )


def _why(line: Line, miss: Miss, cure: tuple[Command, ...]) -> Say:
    votes = any(isinstance(command, Vote) for command in cure)
    if votes or (not cure and doubts.looks_like_vote(line)):
        return say("This looks like a vote, but I cannot be sure of it, and votes are never guessed.")
    if miss.at >= len(line.tokens):
        return say("This looks like a command, but something is missing.")
    rest = line.between(miss.at if miss.steps > 1 else 0, len(line.tokens))[:_LONGEST_SAID]
    return say("This looks like a command, but I do not understand “%(rest)s”.", rest=rest)
