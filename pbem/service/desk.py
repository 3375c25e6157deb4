"""What one person writes to one game: its commands in order, each judged by itself.

What lives here: the way from a line understood to what became of it. What never may: reading bytes, proving
a sender, or sending an answer. Mail and `pbem do` both come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbem.game.commands import Ask, By, Check, Command, Join, Observe, OfProposal, Set, Speak, Start, Vote
from pbem.game.events import Fact
from pbem.game.model import OPEN_STAGES, Problem, Refused, say
from pbem.game.state import State
from pbem.mail.answers import answer
from pbem.mail.compose import Thread
from pbem.mail.grammar import Reading, Understood, read_commands
from pbem.mail.message import Cut
from pbem.mail.receipt import Line
from pbem.mail.vocabulary import Language
from pbem.service import personal
from pbem.service.books import Books
from pbem.service.sender import Sender, sender_of
from pbem.store import people

EMPTY = say("Your mail is empty: no new words were found in it.")
NO_COMMAND = say("No command was found in these words.")
UNCLEAR_BALLOT = say("Is this a ballot? Its words are too few to be sure, so nothing was done with them.")
SAY_YES = say("Do you want to play? To say yes, send the line below.")
FEWEST_WORDS = 4
"""In a vote, fewer words than this with no command in them are rather a ballot that was mistyped than debate."""
FEWEST_ASIDE = 5
"""So many words beside the commands are worth telling that they went to nobody; fewer are a greeting."""
UNREADABLE = say("Your words are encrypted or packed (S/MIME, PGP or winmail.dat). Send them as plain text.")


@dataclass(frozen=True, slots=True)
class Writing:
    """New words to a game, taken at `at` (UTC µs): `subject` without prefixes and tags, `thread` the
    conversation of ours they answer, `mail` the SHA-256 of the raw mail if it was one, `unreadable`
    whether its words were packed in a way that is not opened, and `cuts` where lines of it were left out."""

    text: str
    at: int
    subject: str = ""
    thread: Thread | None = None
    mail: str | None = None
    unreadable: bool = False
    cuts: tuple[Cut, ...] = ()

    @property
    def is_mail(self) -> bool:
        return self.mail is not None


class Desk:
    """Where a person's words to a game are worked off. `player` is their seat, `language` what they read."""

    def __init__(self, books: Books, game: str, who: Sender, writing: Writing) -> None:
        self.books = books
        self.game = game
        self.who = who
        self.writing = writing
        self.player = who.player(game)
        self.reading = read_commands(writing.text, writing.subject)
        self.language = self._settled_language()

    @property
    def state(self) -> State:
        return self.books.state(self.game)

    @property
    def aside(self) -> str:
        """The words beside the commands, which go to nobody; "" when there are only a few."""
        prose = self.reading.prose if self.reading.lines else ""
        return prose if len(prose.split()) >= FEWEST_ASIDE else ""

    def work(self) -> list[Line]:
        """Carries out the words; tells what became of each line."""
        asked = _disagreement(self.writing.subject, self.reading, self.state)
        if asked:
            return asked
        if not self.reading.lines:
            return [self._words()]
        return [self._line(line) for line in self.reading.lines]

    def _words(self) -> Line:
        """Words without a command go to the debate they belong to, or to the table."""
        text = self.writing.text.strip()
        if not text:
            why = UNREADABLE if self.writing.unreadable else EMPTY
            return Line(0, "", None, problem=Problem(0, "", why, (Ask("help"),)))
        if not self.writing.is_mail:
            return Line(1, text, None, problem=Problem(1, text, NO_COMMAND, (Ask("help"),)))
        ballots = self._ballots_missing()
        if ballots and len(text.split()) < FEWEST_WORDS:
            return Line(1, text, None, problem=Problem(1, text, UNCLEAR_BALLOT, ballots))
        return self._line(Understood(1, text, Speak(text, self._proposal()), None))

    def _ballots_missing(self) -> tuple[Vote, ...]:
        """The ballots that the conversation waits for from this player."""
        proposal = self.state.proposals.get(self._proposal() or 0)
        if proposal is None or proposal.stage != "voting" or self.player not in proposal.missing:
            return ()
        return Vote("for", proposal.number), Vote("against", proposal.number)

    def _line(self, line: Understood | Problem) -> Line:
        if isinstance(line, Problem) and self.player is None and self.who.invitation(self.game):
            line = replace(line, why=SAY_YES, cure=(Join(),))
        if isinstance(line, Problem):
            return Line(line.line, line.said, None, problem=line)
        command = self._meant(line.command)
        try:
            return self._done(Line(line.line, line.said, command, left_out=self._left_out(line)), command)
        except Refused as refused:
            return Line(line.line, line.said, command, refused=refused)

    def _left_out(self, line: Understood) -> str:
        """The first row cut off the text under a line, for want of an `end` that would have kept it."""
        rows = (cut.row for cut in self.writing.cuts if cut.above >= line.line)
        return "" if line.closed else next(rows, "")

    def _meant(self, command: Command) -> Command:
        """The command, with the proposal of the conversation where none was named.

        To an invitation, a plain yes is the answer that takes the seat.
        """
        if (
            self.player is None
            and command == Vote("for", said=getattr(command, "said", ""))
            and self.who.invitation(self.game)
        ):
            return Join()
        number = self._proposal()
        if isinstance(command, OfProposal) and command.number is None and number is not None:
            return replace(command, number=number)
        return command

    def _proposal(self) -> int | None:
        """The proposal whose conversation this is, or whose number alone the subject names."""
        thread = self.writing.thread
        if thread is not None and thread.about.startswith("proposal."):
            return int(thread.about.removeprefix("proposal."))
        named = proposals_named(self.writing.subject, self.state)
        return named[0] if len(named) == 1 else None

    def _done(self, line: Line, command: Command) -> Line:
        """The line with what came of its command. Raises Refused."""
        match command:
            case Ask():
                return replace(line, answer=answer(self.state, command, self.language))
            case Set():
                personal.set_preference(self.books, self.who, command)
            case Observe():
                personal.observe(self.books, self.game, self.who)
                self._know_again()
            case Check():
                raise Refused("This server does not take “check” yet.")
            case Join():
                return replace(line, facts=self._join(command))
            case _:
                asked = (self.game, command, self._part(command), self.writing.at, self.writing.mail)
                return replace(line, facts=self.books.ask(*asked).facts)
        return line

    def _join(self, command: Join) -> tuple[Fact, ...]:
        happening = personal.join(
            self.books, self.game, self.who, command, self.writing.at, self.writing.mail
        )
        self._know_again()
        self._learn_language()
        return happening.facts

    def _know_again(self) -> None:
        """Whoever has just got a part in the game has it for the lines below, too."""
        self.who = sender_of(self.books.host.store, self.who.address)
        self.player = self.who.player(self.game)

    def _part(self, command: Command) -> By:
        """In which part the command is given: a keeper who plays is one only in what is the keeper's alone."""
        if self.who.keeps(self.game) and (self.player is None or isinstance(command, Start)):
            return "keeper"
        return "guest" if self.player is None else self.player

    def _settled_language(self) -> Language:
        """People are answered in the language they write in, until they choose one."""
        self._learn_language()
        person, spoken = self.who.person, self.reading.language
        chosen = person.language if person else None
        heard = person.spoke if person else None
        return "sv" if (chosen or spoken or heard or self.state.language) == "sv" else "en"

    def _learn_language(self) -> None:
        """What is typed on the host says nothing of the language a person reads."""
        person, spoken = self.who.person, self.reading.language
        if self.writing.is_mail and person is not None and spoken and spoken != person.spoke:
            people.set_preference(self.books.host.store, person.id, "spoke", spoken)


def proposals_named(subject: str, state: State) -> list[int]:
    """The proposals of the game whose numbers stand in a subject."""
    words = (word.strip(".,:;!?()“”\"'") for word in subject.split())
    numbers = (int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 9)
    return [number for number in dict.fromkeys(numbers) if number in state.proposals]


def _disagreement(subject: str, reading: Reading, state: State) -> list[Line]:
    """A ballot for another proposal than the one the subject names is asked back, both shown."""
    named = proposals_named(subject, state)
    ballots = [(line, line.command) for line in reading.commands if isinstance(line.command, Vote)]
    if len(named) != 1 or len(ballots) != 1 or ballots[0][1].number in (None, "all", "rest", named[0]):
        return []
    line, ballot = ballots[0]
    why = say(
        "The subject of your mail names proposal %(subject)d, this line %(line)d. Which do you mean?",
        subject=named[0],
        line=ballot.number,
    )
    cure = tuple(
        replace(ballot, number=number) for number in (named[0], ballot.number) if _is_open(state, number)
    )
    return [Line(line.line, line.said, None, problem=Problem(line.line, line.said, why, cure))]


def _is_open(state: State, number: object) -> bool:
    proposal = state.proposals.get(number) if isinstance(number, int) else None
    return proposal is not None and proposal.stage in OPEN_STAGES


def summary(lines: Sequence[Line]) -> str:
    """How many lines were done, refused and asked back: the result as the log tells it."""
    refused = sum(line.refused is not None for line in lines)
    asked = sum(line.problem is not None for line in lines)
    return f"{len(lines) - refused - asked} done, {refused} refused, {asked} asked back"
