"""Mails in any order: what comes of them is what a model of a few lines says, which knows of no mail and no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from random import Random

import pytest

from pbem.game import codec, events
from pbem.game.fold import replay
from pbem.mail.message import Envelope
from pbem.service import process, receive
from pbem.service.receive import TRUSTED
from pbem.store import eventlog, queues
from tests.flow.post import ADDRESS, BEGINNING, GAME, HOUR, PEOPLE, SECOND
from tests.promises.table import Promise
from tests.simulation.beginnings import Variant, host

pytestmark = [pytest.mark.slow, pytest.mark.promise(9)]

ORDER = ("Alice", "Bo", "Cia")
"""By their surnames (201)."""
VARIANT = Variant(3, (("cooling time", "0"),), terse=True)
SHARES = 4
SHUFFLES, SHARES_OF_SHUFFLES = 2_000, 20


@dataclass(frozen=True)
class Mail:
    """Who asks what: `propose`, `vote` on a number, `retract` from a number, `talk`; or a machine, which asks nothing."""

    name: str
    what: str
    number: int = 0
    choice: str = ""

    @property
    def words(self) -> str:
        return {
            "propose": "propose enact: Tea\nTea is served at four.\nend\n\ncall vote",
            "vote": f"{self.choice} {self.number}",
            "retract": f"retract vote {self.number}",
            "talk": f"I wonder about {self.choice}.",
            "machine": f"{self.choice} {self.number}",
        }[self.what]

    def content(self, number: int) -> bytes:
        """As it is sent, under that number."""
        display, address = PEOPLE[self.name]
        auto = "Auto-Submitted: auto-replied\r\n" if self.what == "machine" else ""
        words = self.words.replace("\n", "\r\n")
        head = f"From: {display} <{address}>\r\nTo: {ADDRESS}\r\nMessage-ID: <{number}.order@{address.partition('@')[2]}>\r\n"
        return f"{head}{auto}Subject: My words\r\n\r\n{words}\r\n".encode()


@dataclass
class Model:
    """The game as far as these mails go: initial rules, three players, no cooling time."""

    scores: Counter[str] = field(default_factory=Counter)
    votes: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    """Who proposed, the ballots, and how it stands; the first has number 301."""
    said: set[str] = field(default_factory=set)
    turn: int = 0

    def hears(self, mail: Mail) -> None:
        match mail.what:
            case "propose" if ORDER[self.turn % 3] == mail.name and not self._open(300 + len(self.votes)):
                self.votes.append((mail.name, {}, "voting"))
            case "vote" if self._open(mail.number):
                self.votes[mail.number - 301][1][mail.name] = mail.choice
                self._count(mail.number)
            case "retract" if self._open(mail.number):
                self.votes[mail.number - 301][1].pop(mail.name, None)
            case "talk":
                self.said.add(mail.choice)

    def _open(self, number: int) -> bool:
        return 0 <= number - 301 < len(self.votes) and self.votes[number - 301][2] == "voting"

    def _count(self, number: int) -> None:
        """Once all three have voted: unanimous or not (203); (number - 291) × share of votes for (202); -10 (206)."""
        proponent, ballots, _ = self.votes[number - 301]
        if len(ballots) < 3:
            return
        votes_for = list(ballots.values()).count("for")
        adopted = votes_for == 3
        self.scores[proponent] += (2 * (number - 291) * votes_for + 3) // 6 - (0 if adopted else 10)
        self.votes[number - 301] = (proponent, ballots, "adopted" if adopted else "defeated")
        self.turn += 1

    @property
    def outcome(self) -> Outcome:
        return Outcome(
            {name: self.scores[name] for name in ORDER},
            tuple((stage, tuple(sorted(ballots.items()))) for _, ballots, stage in self.votes),
            tuple(sorted(self.said)),
            ORDER[self.turn % 3],
        )


@dataclass(frozen=True)
class Outcome:
    """Scores, each vote with its ballots, what was said (each once), and who is on turn."""

    scores: dict[str, int]
    votes: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    said: tuple[str, ...]
    on_turn: str


def played(arriving: Sequence[tuple[int, Mail]], lot: Random) -> Outcome:
    """What comes of the mails on a host that works them off now and then."""
    with host(VARIANT) as here:
        for place, (number, mail) in enumerate(arriving):
            now = BEGINNING + HOUR + place * SECOND
            receive.receive(here, mail.content(number), Envelope(now), TRUSTED)
            if lot.random() < 0.3:
                process.work_off(here, now)
        process.work_off(here, BEGINNING + 2 * HOUR)
        with here.store.reading():
            records = list(eventlog.load(here.store, GAME))
    state = replay(records)
    name = {player.id: player.name.partition(" ")[0] for player in state.players.values()}
    facts = [codec.decode(record) for record in records]
    said = sorted(fact.text.split()[-1].strip(".") for fact in facts if isinstance(fact, events.Posted))
    votes = tuple(
        (p.stage, tuple(sorted((name[voter], str(ballot.choice)) for voter, ballot in p.ballots.items())))
        for _, p in sorted(state.proposals.items())
    )
    assert state.on_turn is not None
    return Outcome(
        {name[p.id]: p.score for p in state.players.values()}, votes, tuple(said), name[state.on_turn]
    )


def expected(arriving: Iterable[tuple[int, Mail]]) -> Outcome:
    """What the model says: of each mail the first copy counts."""
    model, seen = Model(), set[int]()
    for number, mail in arriving:
        if number not in seen:
            model.hears(mail)
        seen.add(number)
    return model.outcome


def compare(promise: Promise, orders: Iterable[Sequence[tuple[int, Mail]]]) -> None:
    """Every order leads to where the model says."""
    for place, arriving in enumerate(orders):
        found = played(arriving, Random(place))  # noqa: S311  # it keeps no secret
        promise.shows(faults=1, mails=len(arriving))
        assert found == expected(arriving), [mail for _, mail in arriving]


SIX = (
    Mail("Alice", "propose"),
    Mail("Alice", "vote", 301, "for"),
    Mail("Bo", "vote", 301, "against"),
    Mail("Cia", "vote", 301, "for"),
    Mail("Bo", "vote", 301, "for"),
    Mail("Cia", "retract", 301),
)
HUMAN = (
    Mail("Alice", "propose"),
    Mail("Bo", "propose"),
    Mail("Alice", "vote", 301, "for"),
    Mail("Bo", "vote", 301, "for"),
    Mail("Bo", "vote", 301, "against"),
    Mail("Cia", "vote", 301, "for"),
    Mail("Cia", "retract", 301),
    Mail("Alice", "vote", 302, "against"),
    Mail("Bo", "vote", 302, "for"),
    Mail("Cia", "vote", 302, "for"),
    Mail("Bo", "talk", choice="cakes"),
    Mail("Cia", "talk", choice="tea"),
)
MACHINES = tuple(
    Mail(ORDER[n % 3], "machine", 301 + n % 2, ("for", "against")[n // 2 % 2]) for n in range(12)
)
"""Away notes that quote a ballot."""


def shuffles(share: int) -> Iterable[list[tuple[int, Mail]]]:
    """Forty mails: what people wrote, more than once for the most part, and what machines did."""
    once = list(enumerate((*HUMAN, *MACHINES)))
    for number in range(share, SHUFFLES, SHARES_OF_SHUFFLES):
        lot = Random(f"order {number}")  # noqa: S311  # it keeps no secret
        arriving = [*once, *lot.choices(once[: len(HUMAN)], k=40 - len(once))]
        lot.shuffle(arriving)
        yield arriving


@pytest.mark.parametrize("share", range(SHARES))
def test_every_order_of_six_mails_is_as_the_model_says(promise: Promise, share: int) -> None:
    compare(promise, list(permutations(enumerate(SIX)))[share::SHARES])


@pytest.mark.parametrize("share", range(SHARES_OF_SHUFFLES))
def test_forty_mails_in_any_order_are_as_the_model_says(promise: Promise, share: int) -> None:
    compare(promise, shuffles(share))


def test_the_orders_do_not_all_lead_to_the_same() -> None:
    """Else they would show nothing."""
    assert len({str(expected(order)) for order in permutations(enumerate(SIX))}) > 10


def test_a_worker_that_takes_the_newest_mail_first_is_seen(
    promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = queues.claim_new
    monkeypatch.setattr(queues, "claim_new", lambda store, now, _: claim(store, now, 1000)[-1:])
    with promise.breaks("the newest mail is worked off first"):
        compare(promise, shuffles(0))
