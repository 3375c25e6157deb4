"""What must hold in every simulated world, whatever the lot brings.

What lives here: the judge. It knows what was written and by whom, what was acknowledged and what the smart host took,
and reads the database by itself. What never may: anything that changes a world.

The invariants, by number:
1 each acknowledged mail is in the inbox exactly once; 2 it has one effect, and one answer, at most; 3 the chain of hashes
holds; 4 the state in memory is the one that the log replays to; 5 each mail of ours has one key and the same bytes
whenever it is sent, and is sent again only if its answer was not known; 6 nobody acts in another's name; 7 deadlines are
neither early, late nor twice; 8 the pages show the log. Besides: nothing is raised, and who must be told is told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from pbem.game import codec, events
from pbem.game.codec import Record
from pbem.game.events import Fact
from pbem.game.fold import evolve, replay
from pbem.game.proposals import Term
from pbem.game.silence import agenda
from pbem.game.state import State
from pbem.service.books import Host
from pbem.service.reader import fault
from pbem.store import eventlog
from pbem.store.db import Store
from pbem.store.queues import PAUSED
from tests.flow.post import DAY, GAME
from tests.simulation.smarthost import SmartHost
from tests.simulation.writing import Copy, Person, Written

ACTS = (events.BallotCast, events.BallotRetracted, events.Posted, events.CaseOpened)
"""Facts that say in `player` who has done it."""
LADDER = (events.Reminded, events.DeadlinePassed, events.GraceOver, events.Remedied)


class Witness:
    """Follows one game record by record, and the mails of one world."""

    def __init__(self, people: dict[str, Person], smarthost: SmartHost) -> None:
        self.state = State()
        self.records: list[Record] = []
        self.handed: dict[str, Written] = {}
        self.acknowledged: set[str] = set()
        self.waits_until = 0
        self.lost = self.doubled = self.in_anothers_name = 0
        self._people = people
        self._smarthost = smarthost
        self._steps: Counter[tuple[Any, ...]] = Counter()
        self._posts: Counter[str] = Counter()
        self._told: set[str] = set()

    def is_handed(self, copy: Copy, digest: str) -> None:
        """A copy is offered at a door."""
        self.handed[digest] = copy.written

    # ---- what has happened since the last look ----

    def look(self, store: Store, now: int) -> None:
        """Follows the log (3, 6, 7). `now` is the latest moment the clock has shown."""
        with store.reading():
            self.waits_until = next(store.rows("SELECT MAX(until) FROM hold WHERE ballot"))[0] or 0
            news = list(eventlog.load(store, GAME, after=self.state.seq))
        for record in news:
            self._see(record, now)
        assert not self._smarthost.wrong, self._smarthost.wrong

    def _see(self, record: Record, now: int) -> None:
        before, fact = self.state, codec.decode(record)
        head = self.records[-1].hash if self.records else codec.GENESIS
        linked = codec.link(head, record.seq, record.at, record.mail, record.kind, record.body)
        assert (record.seq, record.hash) == (before.seq + 1, linked), f"3: the chain breaks at {record.seq}"
        if record.mail is not None:
            self._act(record, fact)
        self._moment(before, record, fact, now)
        self.state = evolve(before, fact, record.at, record.mail)
        self.records.append(record)

    def _act(self, record: Record, fact: Fact) -> None:
        """6: what a mail brought about is its author's doing. 2: its words are said once."""
        written = self.handed.get(record.mail or "")
        assert written is not None, f"event {record.seq} refers to a mail that nobody wrote"
        assert written.author == written.claims, (
            f"6: {written.author} acts as {written.claims} by {record.kind}"
        )
        assert written.kind != "machine", f"6: a machine acts for {written.claims} by {record.kind}"
        if isinstance(fact, ACTS) and fact.player is not None:
            name = self.state.players[fact.player].name
            assert name == self._people[written.author].display, f"6: {written.author} acts as {name}"
        if isinstance(fact, events.Posted) and written.mark:
            self._posts[written.mark] += 1
            self.doubled += self._posts[written.mark] > 1
            assert self._posts[written.mark] == 1, f"2: {written.mark} is posted twice"

    # ---- deadlines (7) ----

    def _moment(self, before: State, record: Record, fact: Fact, now: int) -> None:
        assert record.at <= max(now, before.at), f"7: {record.kind} at {record.at}, and it is {now}"
        if isinstance(fact, LADDER):
            step = self._once(before, fact)
            assert self._is_timely(before, record, fact), f"7: {record.kind} for {step} at {record.at}"
        if record.mail is not None and record.mail != (self.records[-1].mail if self.records else None):
            due = min((moment for moment, _ in agenda(before)), default=record.at + 1)
            assert due > record.at or record.at < self.waits_until, (
                f"7: {record.kind} comes before what was due at {due}"
            )
        if isinstance(fact, events.VoteClosed) and record.mail is None:
            closes = before.proposals[fact.number].closes
            assert closes is None or record.at >= closes, "7: a vote closes early"

    def _once(self, before: State, fact: Any) -> tuple[Any, ...]:
        """The step of the ladder, which is taken for the first time."""
        term = _term(before, fact.number)
        kind = fact.step if isinstance(fact, events.Reminded) else type(fact).__name__
        key = (before.turn, fact.number, term and (term.since, term.until), kind)
        self._steps[key] += 1
        by_keeper = isinstance(fact, events.Remedied) and fact.remedy.by_keeper
        assert self._steps[key] == 1 or by_keeper, f"7: twice {key}"
        return key

    def _is_timely(self, before: State, record: Record, fact: Any) -> bool:
        """Whether the step was taken when it was due, or when a hold let it."""
        term = _term(before, fact.number)
        if term is None or record.mail is not None:
            return True
        step = fact.step if isinstance(fact, events.Reminded) else type(fact).__name__
        due = {
            "half time": (term.since + term.until) // 2,
            "day before": term.until - DAY,
            "DeadlinePassed": term.until,
        }.get(step, term.grace)
        assert due is not None, f"7: {step} without a time for it"
        return record.at == max(due, before.at) or due < record.at <= self.waits_until

    def nothing_is_late(self, store: Store, now: int) -> None:
        """After a look at the calendar nothing is left that was due by now."""
        with store.reading():
            waiting = list(store.rows("SELECT 1 FROM hold WHERE state = 'open' AND ballot"))
        due = [moment for moment, _ in agenda(self.state)]
        assert waiting or not due or min(due) > now, f"7: something was due at {min(due)}, and it is {now}"
        for proposal in self.state.open_proposals if self.state.status == "playing" else ():
            late = proposal.stage == "voting" and proposal.closes is not None and proposal.closes <= now
            held = proposal.number in self.state.held
            assert waiting or held or not late, f"7: the vote on {proposal.number} is still open"

    # ---- the database as it is at a quiet moment ----

    def audit(self, host: Host) -> None:
        """What must hold between any two steps (1, 2, 4, 5)."""
        store = host.store
        with store.reading():
            self._inbox_is_right(store)
            self._outbox_is_right(store)
            head = eventlog.head(store, GAME)
        assert (head.seq, head.hash) == (self.state.seq, self.records[-1].hash), "3: the head is another"
        page = host.pages.get(GAME)
        if page is not None and page.state.seq == self.state.seq:
            assert page.state == self.state, "4: the state in memory is not the log's"
            assert page.head == head.hash, "4: the head in memory is not the log's"
        assert page is None or page.state.seq <= self.state.seq, "4: the state in memory is ahead of the log"

    def _inbox_is_right(self, store: Store) -> None:
        rows = list(store.rows("SELECT digest, key FROM inbox"))
        seen = Counter(self.handed[digest].number for digest, _ in rows if digest in self.handed)
        assert seen.total() == len(rows), "1: there is a mail in the inbox that nobody wrote"
        twice = [number for number, count in seen.items() if count > 1]
        self.doubled += len(twice)
        assert not twice, f"1: mails {twice} are in the inbox more than once"
        missing = {self.handed[digest].number for digest in self.acknowledged} - seen.keys()
        self.lost += len(missing)
        assert not missing, f"1: mails {sorted(missing)} were acknowledged and are lost"

    def _outbox_is_right(self, store: Store) -> None:
        keys = [key for (key,) in store.rows("SELECT key FROM outbox")]
        assert len(keys) == len(set(keys)), "5: two mails have one key"
        self._told = set(keys)
        numbers = {digest[:24]: written.number for digest, written in self.handed.items()}
        answered = Counter(numbers[found] for key in keys if (found := _answered(key)) in numbers)
        twice = [number for number, count in answered.items() if count > 1]
        assert not twice, f"2: mails {twice} are answered more than once"
        missing = [key for key in self._expected(store) if key not in self._told]
        assert not missing, f"nobody was told: {missing}"

    def _expected(self, store: Store) -> Iterator[str]:
        """The mails that must have been written: digests to everybody, ballot papers to the voters."""
        readers = list(store.rows("SELECT person, player FROM seat WHERE game = ?", GAME))
        everybody = sorted({person for person, _ in readers})
        by_seat = {player: person for person, player in readers if player is not None}
        for record in self.records:
            if record.kind == "turn ended":
                turn = codec.decode(record).turn  # type: ignore[union-attr]  # of its kind
                yield from (f"{GAME}/digest:{turn}/{person}" for person in everybody)
            if record.kind == "vote opened":
                fact: Any = codec.decode(record)
                voters = (by_seat[voter] for voter, _ in fact.electorate if voter in by_seat)
                yield from (f"{GAME}/ballot:{fact.number}/{person}" for person in voters)

    # ---- when all is quiet ----

    def verdict(self, host: Host) -> None:
        """What must hold once nothing is under way any more."""
        self.audit(host)
        with host.store.reading():
            self._all_is_done(host.store)
            self._all_is_sent(host.store)
        assert replay(self.records) == self.state, "4: the log does not replay to the state"
        assert fault(self.records, self.state.seq, self.records[-1].hash) is None, (
            "3: pbem verify finds a fault"
        )

    def _all_is_done(self, store: Store) -> None:
        rows = list(store.rows("SELECT digest, state, author, result FROM inbox"))
        letters = Counter((w.claims, w.id) for w in {w.number: w for w in self.handed.values()}.values())
        by_number = {
            self.handed[digest].number: (state, author, result) for digest, state, author, result in rows
        }
        for written in {each.number: each for each in self.handed.values()}.values():
            self.lost += written.number not in by_number
            assert written.number in by_number, f"1: mail {written.number} is lost"
            state, _, result = by_number[written.number]
            assert state in ("done", "held"), f"mail {written.number} is {state}: {result}"
            if written.kind == "talk" and letters[written.claims, written.id] == 1:
                self._is_heard(written, state, result)
        self._letters_count_once(defaultdict(list))

    def _is_heard(self, written: Written, state: str, result: str) -> None:
        """1: words that are their author's, and no others bear their name, are said."""
        said = self._posts[written.mark]
        confirmed_no = result.startswith(("dropped", "held"))
        assert said == 1 or confirmed_no, f"1: mail {written.number} is {state} ({result}) and was not said"

    def _letters_count_once(self, groups: dict[tuple[str, str], list[str]]) -> None:
        for written in self.handed.values():
            if written.mark and written.mark not in groups[written.claims, written.id]:
                groups[written.claims, written.id].append(written.mark)
        for (name, letter), marks in groups.items():
            said = sum(self._posts[mark] for mark in marks)
            assert said <= 1, f"2: {said} mails of {name} count under one Message-ID, {letter}"

    def _all_is_sent(self, store: Store) -> None:
        taken = {mail.content for mail in self._smarthost.taken}
        for key, state, due, content, error in store.rows(
            "SELECT key, state, due, content, error FROM outbox"
        ):
            waits = state == "ready" and due == PAUSED
            assert waits or state in ("sent", "given up", "withdrawn"), f"5: {key} is {state}: {error}"
            if state == "sent":
                assert content in taken, f"5: {key} is marked as sent, and the smart host has not got it"


def _term(state: State, number: int | None) -> Term | None:
    return state.term if number is None else state.proposals[number].term


def _answered(key: str) -> str:
    """The mail that a key says is answered, by the beginning of its digest; "" for other mails."""
    name = key.split("/")[1]
    return name.removeprefix("receipt:") if name.startswith("receipt:") else ""
