"""What one person writes to one game: its commands in order, each judged by itself.

What lives here: the way from a line understood to what became of it. What never may: reading bytes, proving
a sender, or sending an answer. Mail and `pbem do` both come here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pbem.game import changes, codec
from pbem.game.commands import (
    Absent,
    AddAddress,
    Admit,
    Ask,
    By,
    CallVote,
    CarryClauses,
    ChangeAddress,
    Check,
    Command,
    Compare,
    ForgetMe,
    GiveVerdict,
    Invite,
    Join,
    Observe,
    OfCase,
    OfKeeper,
    OfProposal,
    PassKeepership,
    Press,
    Propose,
    RemoveAddress,
    Replace,
    Revise,
    SayFor,
    Set,
    Speak,
    Start,
    Takeover,
    Undo,
    Vote,
)
from pbem.game.decide import can_be_asked, decide
from pbem.game.events import Fact
from pbem.game.model import Problem, Refused, say
from pbem.game.speaking import carrying, itself
from pbem.game.state import State
from pbem.mail.accepting import answered, spoken
from pbem.mail.answers import answer, checked
from pbem.mail.doubts import may_be_a_ballot
from pbem.mail.grammar import read_commands
from pbem.mail.letters import TEAM
from pbem.mail.readings import Reading, Understood
from pbem.mail.receipt import Line
from pbem.mail.rows import Rows, read_rows
from pbem.mail.words import words_of
from pbem.service import invited, lateness, personal, seating, team, wishes
from pbem.service.books import Books
from pbem.service.bounds_of_host import within
from pbem.service.disagreement import disagreement, proposals_named
from pbem.service.offers import offered
from pbem.service.sender import Sender, sender_of
from pbem.service.writing import Writing
from pbem.store import eventlog, people

EMPTY = say("Your mail is empty: no new words were found in it.")
NO_COMMAND = say("No command was found in these words.")
UNCLEAR_BALLOT = say("Is this a ballot? Its words are too few to be sure, so nothing was done with them.")
ANSWERS_US = say("These words answer a question of ours, and went to nobody. Send one of these lines alone.")
_ANSWERS = (CarryClauses("keep"), CarryClauses("drop"))
UNSUBSCRIBING = ("unsubscribe", "stop", "avsluta prenumerationen", "avprenumerera", "avregistrera")
LESS_MAIL = say("Do you want less mail from the game? These lines see to it; your words went to nobody.")
_LESS = (Set("mail", "daily"), Set("mail", "results"), Set("mail", "none"))
FEWEST_WORDS = 4
"""In a vote, fewer words than this with no command in them are rather a ballot that was mistyped than debate."""
FEWEST_ASIDE = 5
"""So many words beside the commands are worth telling that they went to nobody; fewer are a greeting."""
UNREADABLE = say("Your words are encrypted or packed (S/MIME, PGP or winmail.dat). Send them as plain text.")


class Desk:
    """Where a person's words to a game are worked off. `player` is their seat, `language` what they read."""

    def __init__(self, books: Books, game: str, who: Sender, writing: Writing) -> None:
        self.books = books
        self.game = game
        self.who = who
        self.writing = writing
        self.player = who.player(game)
        self.to_confirm: list[Command] = []
        self.to_add: list[str] = []
        self.rows = self._rows()
        self.reading = self._read()
        self.language = self._settled_language()

    @property
    def state(self) -> State:
        return self.books.state(self.game)

    def _read(self) -> Reading:
        """What the words ask; of somebody who is only invited, also what they answer to that."""
        words = self.writing
        reading = read_commands(words.text, words.subject, self.books.host.config.limits.commands, self.rows)
        if self.player is not None or not self.who.invitation(self.game) or words.unreadable:
            return reading
        return answered(reading, words.text if words.text.strip() else words.subject)

    def _rows(self) -> Rows:
        """What the quoted rows of the mail name of what is voted on."""
        voted_on = [proposal.number for proposal in self.state.open_proposals if proposal.stage == "voting"]
        return read_rows(self.writing.text, self.writing.cuts, voted_on, self._proposal())

    @property
    def aside(self) -> str:
        """The words beside the commands, which go to nobody; "" when there are only a few."""
        prose = self.reading.prose if self.reading.lines else ""
        return prose if len(prose.split()) >= FEWEST_ASIDE else ""

    def work(self) -> list[Line]:
        """Carries out the words; tells what became of each line."""
        self._learn_language()
        asked = disagreement(self.writing.subject, self.writing.thread, self.reading, self.state)
        if asked:
            return asked
        if not self.reading.lines:
            return [self._words()]
        return [done for line in self.reading.lines for done in self._lines(line)]

    def _lines(self, line: Understood | Problem) -> list[Line]:
        """A line as what became of it: of itself, or of what it lets go on."""
        if not (isinstance(line, Understood) and isinstance(line.command, CarryClauses)):
            return [self._line(line)]
        earlier = self.writing.asked_back
        held = Desk(self.books, self.game, self.who, earlier).go_on(line.command) if earlier else []
        return held or [Line(line.line, line.said, line.command, refused=_nothing_asked())]

    def go_on(self, carry: CarryClauses) -> list[Line]:
        """Carries out those of the words whose clauses were asked about, now that this is said of them."""
        done = []
        for line in self.reading.commands:
            command = self.meant(line.command)
            asked = itself(command)
            if isinstance(asked, Propose | Revise) and changes.leaves_clauses_open(self.state, asked):
                done.append(self._once(replace(line, command=carrying(command, carry.how))))
        return done

    def _once(self, line: Understood) -> Line:
        """A proposal that was asked back is taken once, however often it is answered."""
        asked = itself(line.command)
        made = asked if isinstance(asked, Propose) and not isinstance(line.command, Check) else None
        number = self._taken(made) if made is not None else None
        if number is None:
            return self._line(line)
        refused = Refused("This is proposal %(number)d already.", number=number)
        return Line(line.line, line.said, line.command, refused=refused)

    def _taken(self, asked: Propose) -> int | None:
        """The number of the proposal that was made of these words, None if none was."""
        find = self.state.rulebook.find
        for proposal in self.state.proposals.values():
            same = (proposal.mail, proposal.kind) == (self.writing.mail, asked.kind)
            if same and find(proposal.target or 0) is find(asked.target or 0):
                return proposal.number
        return None

    def _words(self) -> Line:
        """Words without a command go to the debate they belong to, or to the table."""
        text = self.writing.text.strip()
        if not text:
            why = UNREADABLE if self.writing.unreadable else EMPTY
            return Line(0, "", None, problem=Problem(0, "", why, (Ask("help"),)))
        if not self.writing.is_mail:
            return Line(1, text, None, problem=Problem(1, text, NO_COMMAND, (Ask("help"),)))
        if self.writing.asked_back is not None:
            return Line(1, text, None, problem=Problem(1, text, ANSWERS_US, _ANSWERS))
        if text.rstrip(".!").casefold() in UNSUBSCRIBING:
            return Line(1, text, None, problem=Problem(1, text, LESS_MAIL, _LESS))
        ballots = self._ballots_missing()
        if ballots and (len(text.split()) < FEWEST_WORDS or may_be_a_ballot(text)):
            return Line(1, text, None, problem=Problem(1, text, UNCLEAR_BALLOT, ballots))
        return self._line(Understood(1, text, self._spoken(text), None))

    def _spoken(self, text: str) -> Command:
        """Words in answer to a team-mate stay in the team."""
        if self.writing.thread is not None and self.writing.thread.about == TEAM:
            return Press(text)
        return Speak(text, self._proposal(), self._case())

    def _ballots_missing(self) -> tuple[Vote, ...]:
        """The ballots that the conversation waits for from this player."""
        proposal = self.state.proposals.get(self._proposal() or 0)
        if proposal is None or proposal.stage != "voting" or self.player not in proposal.missing:
            return ()
        return Vote("for", proposal.number), Vote("against", proposal.number)

    def _line(self, line: Understood | Problem) -> Line:
        if isinstance(line, Problem):
            meant = tuple(each if isinstance(each, str) else self.meant(each) for each in line.cure)
            problem = offered(replace(line, cure=meant), self.state, self.writing.at, self._part)
            problem = replace(problem, cure=self._open_to(problem.cure))
            return Line(line.line, line.said, None, problem=problem)
        command = self.meant(line.command)
        try:
            return self._done(Line(line.line, line.said, command, left_out=self._left_out(line)), command)
        except Refused as refused:
            refused.cure = self._open_to(refused.cure)
            late = Line(line.line, line.said, command, refused=refused)
            lateness.tell_keeper(self.books, self.game, self.player, late, self.writing)
            return late

    def _open_to(self, cure: tuple[Any, ...]) -> tuple[Any, ...]:
        """The lines with a name that the sender may join under where they need one, less those with another's name."""
        return invited.open_to(self.books, self.game, self.who, cure)

    def _left_out(self, line: Understood) -> str:
        """The first row cut off the text under a line, for want of an `end` that would have kept it."""
        rows = (cut.row for cut in self.writing.cuts if cut.above >= line.line)
        return "" if line.closed else next(rows, "")

    def meant(self, command: Command) -> Command:
        """The command, with the proposal of the conversation where none was named."""
        number = self._proposal()
        if isinstance(command, SayFor):
            return replace(command, command=self.meant(command.command))
        if isinstance(command, OfProposal) and command.number is None and number is not None:
            return replace(command, number=number)
        if isinstance(command, OfCase) and command.case is None:
            return replace(command, case=self._case())
        return command

    def _case(self) -> int | None:
        """The case whose conversation this is."""
        about = self.writing.thread.about if self.writing.thread is not None else ""
        return int(about.removeprefix("case.J")) if about.startswith("case.J") else None

    def _proposal(self) -> int | None:
        """The proposal whose conversation this is, or whose number alone the subject names."""
        thread = self.writing.thread
        if thread is not None and thread.about.startswith("proposal."):
            return int(thread.about.removeprefix("proposal."))
        named = proposals_named(self.writing.subject, self.state)
        return named[0] if len(named) == 1 else None

    def _done(self, line: Line, command: Command) -> Line:
        """The line with what came of its command. Raises Refused."""
        within(command, self.books.host.config.limits)
        if self.who.person and wishes.must_wait(command, self.writing.standing):
            self._must_be_possible(command)
            self.to_confirm.append(command)
            return replace(line, told=wishes.WAITS)
        match command:
            case AddAddress() if self.writing.is_mail:
                self.to_add.append(wishes.may_be_added(self.books, self.who, command))
                return replace(line, told=wishes.asked_there(command))
            case AddAddress() | RemoveAddress() | ForgetMe():
                return replace(line, told=wishes.grant(self.books, self.who, command))
            case _:
                return self._played(line, command)

    def _must_be_possible(self, command: Command) -> None:
        """Raises Refused for what the game would refuse: nobody is asked to confirm that."""
        if can_be_asked(command):
            decide(self.state, command, self._part(command), max(self.writing.at, self.state.at))

    def _played(self, line: Line, command: Command) -> Line:
        """The line with what came of a command to the game, or about it. Raises Refused."""
        match command:
            case Ask() | Compare():
                return replace(line, answer=answer(self.state, command, self.language))
            case Set():
                personal.set_preference(self.books, self.who, command, self.writing.at)
            case Press():
                self._press(command)
            case Observe():
                personal.observe(self.books, self.game, self.who)
                self._know_again()
            case Check():
                by, at = self._part(command), max(self.writing.at, self.state.at)
                return replace(line, answer=checked(self.state, command, by, at))
            case Join():
                return replace(line, facts=self._join(command))
            case Undo():
                return replace(line, facts=self._ask(replace(command, fact=self._fact(command.event))))
            case Invite():
                sent = say("The invitation has gone to %(address)s.", address=command.address)
                return replace(line, facts=self._seat(command), told=sent)
            case Takeover() | Replace() | PassKeepership() | Admit() | ChangeAddress():
                return replace(line, facts=self._seat(command))
            case Start():
                return replace(line, **invited.starting(self.books, self.game, lambda: self._ask(command)))
            case _:
                said = lateness.older(self.state, self.player, command, self.writing)
                return replace(line, facts=self._ask(command), told=said)
        return line

    def _join(self, command: Join) -> tuple[Fact, ...]:
        happening = personal.join(
            self.books, self.game, self.who, command, self.writing.at, self.writing.mail
        )
        self._know_again()
        self._learn_language()
        return happening.facts

    def _seat(self, command: Command) -> tuple[Fact, ...]:
        """Somebody asks for a seat; or the keeper says who has which part in the game, and where their mails go."""
        books, game, at, ask = self.books, self.game, self.writing.at, self._ask
        if isinstance(command, Takeover):
            return personal.volunteer(books, game, self.who, command, ask)
        facts: tuple[Fact, ...] = ()
        match command if self._part(command) == "keeper" else None:
            case PassKeepership() as asked:
                facts = seating.pass_keepership(books, game, asked, ask)
            case Replace() as asked:
                facts = seating.give_seat(books, game, asked, ask)
            case Admit() as asked:
                facts = seating.admit(books, game, asked, ask)
            case Invite() as asked:
                facts = seating.invite(books, game, asked, at, ask)
            case ChangeAddress() as asked:
                facts = seating.change_address(books, game, asked, at, ask)
            case _:
                return ask(command)
        self._know_again()
        return facts

    def _press(self, command: Press) -> None:
        team.press(self.books, self.state, self._part(command), command, self.writing.at, self.writing.mail)

    def _fact(self, event: int) -> Fact | None:
        """What event number `event` of the game's log was, None if there is none."""
        records = eventlog.load(self.books.host.store, self.game, after=event - 1)
        return next((codec.decode(record) for record in records if record.seq == event), None)

    def _ask(self, command: Command) -> tuple[Fact, ...]:
        """What the game brings about when the sender asks this. Raises Refused."""
        part, at, mail = self._part(command), self.writing.at, self.writing.mail
        return self.books.ask(self.game, command, part, at, mail).facts

    def _know_again(self) -> None:
        """Whoever has just got a part in the game has it for the lines below, too."""
        self.who = sender_of(self.books.host.store, self.who.address)
        self.player = self.who.player(self.game)

    def _part(self, command: Command) -> By:
        """In which part the command is given: a keeper who plays is one only in what is the keeper's alone."""
        if self.who.keeps(self.game) and (self.player is None or self._is_for_keeper(command)):
            return "keeper"
        return "guest" if self.player is None else self.player

    def _is_for_keeper(self, command: Command) -> bool:
        """Whether it is the keeper's alone: a verdict is, unless the keeper's own seat is Judge."""
        if isinstance(command, GiveVerdict):
            cases = self.state.docket.open_cases
            return not any(case.judge == self.player for case in cases if command.case in (None, case.number))
        if isinstance(command, CallVote):
            asked = self.state.proposals.get(command.number or 0)
            return asked is not None and asked.proponent != self.player
        return isinstance(command, OfKeeper) or (isinstance(command, Absent) and command.name != "")

    def _settled_language(self) -> str:
        """People are answered in the language they write in, until they choose one."""
        person, heard = self.who.person, self.reading.language
        chosen = person.language if person else None
        if heard is None and self.player is None and self.writing.is_mail:
            heard = spoken(self.writing.text)
        before = person.spoke if person else None
        spoke = (word for word in (heard, before) if word not in (None, self._borrowed()))
        return chosen or next(spoke, None) or self.state.language

    def _borrowed(self) -> str | None:
        """The language whose words everyone in the game has to use, as the game's own has none; None if it has."""
        words, own = words_of(self.state.language), self.state.language
        return None if words == own else words

    def _learn_language(self) -> None:
        """What is typed on the host says nothing of the language a person reads, nor do words that are borrowed."""
        person, heard = self.who.person, self.reading.language
        if not self.writing.is_mail or person is None:
            return
        if heard not in (None, self._borrowed(), person.spoke):
            people.set_preference(self.books.host.store, person.id, "spoke", heard)


def _nothing_asked() -> Refused:
    return Refused(
        "This answers no question of ours. Put it as a line of its own into the text of your proposal, and send "
        "the whole again."
    )
