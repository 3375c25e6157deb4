"""Golden games: texts that a player can read, played through the language of the mails and judged by the real rules.

A game is a text of lines:

    # A comment.
    players: Alva Alm, Bo Berg (Blue), Cia Ceder     who sits at the table, a team in brackets
    language: sv          rules: suber1990           (sv or en; a shipped set) each on its own line
    set cooling time: 12h                            a house rule, or a clause the house gives

    Alva: propose enact: Tea                         a mail: who writes, and the words; its further
      Tea is served at four.                         lines are indented by two
      end
    everyone but Bo: for 301                         the same words from several, each in a mail of their own
    keeper: close 301: the week is over
    guest: join as Dan Dahl
    wait 7d                                          time passes; the calendar acts

and of what is expected of the line before it:

    ! is over                                        it is refused, with these words
    ? not understood                                 it is asked back, with these words
    > Proposal 301 is adopted                        the log says this of it
    = Alva 10, Bo 0                                  the state now: see `CHECKS`

What lives here: the reading of such a text, and its playing. What never may: a sum; those are in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pbem.game import chronicle, clauses, codec, voting
from pbem.game.commands import By, Command, Undo
from pbem.game.events import Fact
from pbem.game.fold import replay
from pbem.game.model import Moment, Player, Refused, Say
from pbem.game.state import State
from pbem.mail.grammar import read_commands
from pbem.mail.phrasing import phrase
from pbem.mail.readings import Understood
from tests.game.conftest import Table

HERE = Path(__file__).parent
GAMES = tuple(sorted(HERE.glob("*.txt")))

_SETUP = re.compile(r"(players|language|rules|set ([a-z ]+)): *(.+)\Z")
_WAIT = re.compile(r"wait (\d+[mhd])\Z")
_MAIL = re.compile(r"([^:!?>=#]+): ?(.*)\Z")
_SEATED = re.compile(r"([^()]+?)(?: \((.+)\))?\Z")


class Unexpected(AssertionError):
    """A line of a golden game that did not come true."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text with its number (1 is the first) and the lines indented below it."""

    number: int
    text: str
    below: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        return "\n".join((self.text, *self.below))


def lines_of(text: str) -> Iterator[Line]:
    """The lines that say something."""
    line: Line | None = None
    for number, said in enumerate(text.splitlines(), 1):
        if said.startswith("  ") and line is not None:
            line = replace(line, below=(*line.below, said[2:].rstrip()))
            continue
        if line is not None:
            yield line
        line = Line(number, said.rstrip()) if said.strip() and not said.startswith("#") else None
    if line is not None:
        yield line


@dataclass
class GoldenGame:
    """One game as it is played. `facts`, `refused` and `asked` are what the line before brought about."""

    path: Path
    seated: tuple[tuple[str, str | None], ...] = ()
    language: str = "en"
    ruleset: str = "suber"
    house: dict[str, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    refused: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _table: Table | None = None

    def play(self) -> Table:
        """Plays it to the end. Raises `Unexpected` at the first line that does not come true."""
        for line in lines_of(self.path.read_text("utf-8")):
            try:
                self._take(line)
            except Unexpected as error:
                raise Unexpected(f"{self.path.name}:{line.number}: {line.text}\n  {error}") from None
        self._nothing_unsaid()
        assert replay(self.table.log) == self.state
        return self.table

    @property
    def table(self) -> Table:
        if self._table is None:
            names = tuple(name for name, _ in self.seated)
            teams = {name: team for name, team in self.seated if team}
            self._table = Table(names, self.language, ruleset=self.ruleset, teams=teams, **self.house)
        return self._table

    @property
    def state(self) -> State:
        return self.table.state

    def _take(self, line: Line) -> None:
        sign, _, rest = line.text.partition(" ")
        if sign in _EXPECTED:
            _EXPECTED[sign](self, rest.strip())
        elif self._table is None and (found := _SETUP.match(line.text)):
            self._set_up(*found.groups())
        elif found := _WAIT.match(line.text):
            self._nothing_unsaid()
            self.facts = self.table.wait(clauses.microseconds(found[1]))
        elif found := _MAIL.match(line.text):
            self._nothing_unsaid()
            self.facts = ()
            self._mail(found[1], "\n".join((found[2], *line.below)))
        else:
            raise Unexpected("This is no line of a game.")

    def _set_up(self, what: str, house: str | None, value: str) -> None:
        if house:
            self.house[house.replace(" ", "_")] = value
        elif what == "players":
            found = (_SEATED.match(name.strip()) for name in value.split(","))
            self.seated = tuple((each[1], each[2]) for each in found if each)
        elif what == "language":
            self.language = value
        else:
            self.ruleset = value

    # ---- mails ----

    def _mail(self, who: str, words: str) -> None:
        reading = read_commands(words)
        if not reading.lines:
            raise Unexpected("There is no command in it.")
        for by in self._writers(who.strip()):
            for line in reading.lines:
                if isinstance(line, Understood):
                    self._command(by, line.command)
                else:
                    self.asked.append(plain(line.why))

    def _writers(self, who: str) -> list[By]:
        if who in ("keeper", "guest"):
            return ["keeper" if who == "keeper" else "guest"]
        everyone, _, but = who.partition(" but ")
        if everyone == "everyone":
            left_out = {self._player(name).id for name in _listed(but)}
            return [player.id for player in self.state.seated if player.id not in left_out]
        return [self._player(name).id for name in _listed(who)]

    def _command(self, by: By, command: Command) -> None:
        if isinstance(command, Undo):
            command = replace(command, fact=codec.decode(self.table.log[command.event - 1]))
        try:
            self.facts += self.table.ask(by, command)
        except Refused as refused:
            (self.asked if refused.asks else self.refused).append(plain(refused.said))

    def _player(self, name: str) -> Player:
        player = self.state.named(name)
        if player is None:
            raise Unexpected(f"Nobody is called {name}.")
        return player

    # ---- what is expected ----

    def _nothing_unsaid(self) -> None:
        if self.refused or self.asked:
            raise Unexpected(f"The line before this was not taken: {[*self.refused, *self.asked]}")

    def expect_refused(self, words: str) -> None:
        _expect(self.refused, words, "refused")

    def expect_asked(self, words: str) -> None:
        _expect(self.asked, words, "asked back")

    def expect_said(self, words: str) -> None:
        said = [plain(chronicle.told(self.state, fact)) for fact in self.facts]
        if not any(words in sentence for sentence in said):
            raise Unexpected("The log says:\n  " + "\n  ".join(said))

    def expect_state(self, words: str) -> None:
        for expected in _listed(words):
            self._expect_state(expected)

    def _expect_state(self, expected: str) -> None:
        for pattern, check in CHECKS.items():
            if found := re.fullmatch(pattern, expected):
                actual, wanted = check(self, found)
                if actual != wanted:
                    raise Unexpected(f"{expected}: it is {actual!r}.")
                return
        raise Unexpected(f"“{expected}” is nothing that can be expected of a state.")

    def score(self, found: re.Match[str]) -> tuple[int, int]:
        return self._player(found[1]).score, _number(found[2])

    def counter(self, found: re.Match[str]) -> tuple[int | None, int]:
        return self._player(found[1]).counters.get(found[3]), _number(found[2])

    def stage(self, found: re.Match[str]) -> tuple[str, str]:
        return self.state.proposals[int(found[1])].stage, found[2]

    def effect(self, found: re.Match[str]) -> tuple[tuple[bool, int | None], tuple[bool, int | None]]:
        proposal = self.state.proposals[int(found[1])]
        return (proposal.without_effect is not None, proposal.kept_by), (True, int(found[2]))

    def decided(self, found: re.Match[str]) -> tuple[int | None, int]:
        tally = self.state.proposals[int(found[1])].tally
        return tally.rule if tally else None, int(found[2])

    def number(self, found: re.Match[str]) -> tuple[int | None, int]:
        rule = self.state.rulebook.standing(int(found[1]))
        return rule.number if rule else None, int(found[2])

    def gone(self, found: re.Match[str]) -> tuple[bool, bool]:
        return self.state.rulebook.standing(int(found[1])) is None, True

    def kind(self, found: re.Match[str]) -> tuple[str, str]:
        rule = self.state.rulebook.standing(int(found[1]))
        return "not in force" if rule is None else "mutable" if rule.mutable else "immutable", found[2]

    def turn(self, found: re.Match[str]) -> tuple[int | None, int]:
        return self.state.on_turn, self._player(found[1]).id

    def circuit(self, found: re.Match[str]) -> tuple[int, int]:
        return self.state.circuit, int(found[1])

    def winners(self, found: re.Match[str]) -> tuple[set[int], set[int]]:
        return set(self.state.winners), {self._player(name).id for name in found[1].split(" and ")}

    def nobody(self, _: re.Match[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.state.winners, ()

    def impasse(self, found: re.Match[str]) -> tuple[int | None, int]:
        return self.state.impasse, int(found[1])

    def case(self, found: re.Match[str]) -> tuple[str, str]:
        return self.state.docket.cases[int(found[1])].stage, found[2]

    def judge(self, found: re.Match[str]) -> tuple[int | None, int]:
        return self.state.docket.cases[int(found[1])].judge, self._player(found[2]).id

    def stalled(self, found: re.Match[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.state.stalls, (found[1],)

    def as_it_stands(self, found: re.Match[str]) -> tuple[bool, bool]:
        """Whether a vote would be carried, were it closed now."""
        tally = voting.tallied(self.state, self.state.proposals[int(found[1])])
        return tally.adopted, found[2] == "pass"


CHECKS: Mapping[str, Callable[[GoldenGame, re.Match[str]], tuple[object, object]]] = {
    r"(\D+) ([-−]?\d+) (coins|hats)": GoldenGame.counter,
    r"(\d+) (debate|voting|adopted|defeated|withdrawn|void)": GoldenGame.stage,
    r"(\d+) without effect by (\d+)": GoldenGame.effect,
    r"(\d+) decided by (\d+)": GoldenGame.decided,
    r"(\d+) would (pass|fail) now": GoldenGame.as_it_stands,
    r"rule (\d+) is (\d+)": GoldenGame.number,
    r"rule (\d+) is gone": GoldenGame.gone,
    r"rule (\d+) is (mutable|immutable)": GoldenGame.kind,
    r"turn of (\D+)": GoldenGame.turn,
    r"circuit (\d+)": GoldenGame.circuit,
    r"won by (\D+)": GoldenGame.winners,
    r"nobody has won": GoldenGame.nobody,
    r"impasse after (\d+)": GoldenGame.impasse,
    r"J(\d+) (judging|ruled|keeper|final|lapsed)": GoldenGame.case,
    r"judge of J(\d+) is (\D+)": GoldenGame.judge,
    r"stalled in a (vote|debate|turn)": GoldenGame.stalled,
    r"(\D+) ([-−]?\d+)": GoldenGame.score,
}
"""What can be expected of a state: the words, and how it is looked up (as it is, as it should be)."""

_EXPECTED: Mapping[str, Callable[[GoldenGame, str], None]] = {
    "!": GoldenGame.expect_refused,
    "?": GoldenGame.expect_asked,
    ">": GoldenGame.expect_said,
    "=": GoldenGame.expect_state,
}


def _expect(told: list[str], words: str, how: str) -> None:
    """What was told is over with one expectation: several who write the same are told the same."""
    if not told:
        raise Unexpected(f"It was not {how}.")
    if wrong := [sentence for sentence in told if words not in sentence]:
        raise Unexpected(f"It was {how}: {wrong}")
    told.clear()


def _listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def _number(word: str) -> int:
    return int(word.replace("−", "-"))


# ---- the log in words ----


def log_of(table: Table) -> str:
    """The whole log, a sentence a line: number, moment (UTC), what happened."""
    return "".join(f"{_told(table.state, record)}\n" for record in table.log)


def _told(state: State, record: codec.Record) -> str:
    sentence = plain(chronicle.told(state, codec.decode(record)))
    return f"{record.seq:4}  {_moment(record.at)}  {sentence}"


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at // 1_000_000, UTC).strftime("%Y-%m-%d %H:%M")


def plain(said: Say) -> str:
    """A sentence in English, its moments in UTC."""
    return said.text % {name: _plain(fact) for name, fact in said.facts.items()}


def _plain(fact: object) -> object:
    match fact:
        case Say():
            return plain(fact)
        case Moment():
            return _moment(fact)
        case str() | int():
            return fact
    return phrase(fact, "en")  # a command: the line to write
