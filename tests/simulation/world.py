"""One simulated world, all of it drawn from one seed: a host, its clock, its people, its mail, and what befalls it.

What lives here: what may happen next, and the process that lives, dies and is started again. What never may: a fake of
anything that is ours: the reader, the engine, the store, the worker, the poller and the delivery are the real ones.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import apsw
from imapclient.exceptions import IMAPClientError

from pbem.mail.message import Envelope
from pbem.service import calendar, process, publishing, receive, worker
from pbem.service.books import Host
from pbem.service.imap_in import ImapPoller
from pbem.store import eventlog
from pbem.store.db import StoreError, open_store
from pbem.store.queues import PAUSED
from tests.flow.conftest import PRINTER
from tests.flow.post import BEGINNING, DAY, GAME, HOUR, MINUTE, SECOND
from tests.simulation import mailbox as mailboxes
from tests.simulation import smarthost as smarthosts
from tests.simulation.beginnings import HOUSES, KEYS, Variant, founded, in_memory, opened, settings
from tests.simulation.fate import Fate, Faulty, Killed, Stroke, watched
from tests.simulation.mailbox import Mailbox
from tests.simulation.smarthost import SmartHost
from tests.simulation.witness import Witness
from tests.simulation.writing import SOURCES, Copy, Pen, is_question, seated

PUBLIC = 16
"""One seed in so many has its game published."""
ON_DISK = 10
"""One seed in so many has its database in a file."""
MOST_AT_ONCE = 1000
"""Mails that one round of work may take: whoever needs more goes in circles."""


class World:
    """`seed` says all that will happen. `steps` are taken by `run`, which raises AssertionError if something does not
    hold."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.lot = Random(seed)  # noqa: S311  # it keeps no secret
        self.story: list[str] = []
        self.counted: Counter[str] = Counter()
        self.number = 0
        self.now = self.latest = BEGINNING + HOUR
        self.variant = Variant(
            self.lot.randint(3, 5),
            self.lot.choice(HOUSES),
            self.lot.choice(("en", "en", "sv")),
            seed % PUBLIC == 0,
        )
        self.fate = Fate()
        self.smarthost = SmartHost(self.lot, self.fate)
        self.mailbox = Mailbox(self.lot)
        self.people = seated(self.lot, self.variant.players)
        self.pen = Pen(self.lot, self.people)
        self.witness = Witness(self.people, self.smarthost)
        self.transit: list[Copy] = []
        self.refused_at = 0
        self._errors = _Errors()
        self._life = ExitStack()
        self._delivered = self._fetched = 0

    # ---- from the first step to the last ----

    def run(self, steps: int) -> str:
        """Takes the steps, lets all come to rest, and judges; returns a digest of everything that was seen."""
        with ExitStack() as world:
            folder = Path(world.enter_context(tempfile.TemporaryDirectory(prefix="world-")))
            for part in (
                watched(self.fate),
                smarthosts.reached(self.smarthost),
                mailboxes.reached(self.mailbox),
            ):
                world.enter_context(part)
            world.enter_context(self._errors.caught())
            self._found(folder)
            world.callback(self._end)
            try:
                for _ in range(steps):
                    self._step()
                self._come_to_rest()
            except Exception as wrong:  # whatever it is, the seed tells it again
                raise AssertionError(f"seed {self.seed}, step {self.number}: {wrong!r}") from wrong
        return self._digest()

    def _found(self, folder: Path) -> None:
        self.folder = folder
        self.config = settings(folder)
        content = founded(self.variant)
        self.memory: apsw.Connection | None = None
        if self.seed % ON_DISK == 0:
            (folder / "pbem.db").write_bytes(content)
        else:
            self.memory = in_memory(content)
        self._start()
        self.witness.look(self.store, self.latest)

    def _start(self) -> None:
        """The process begins, with nothing in its memory."""
        self.store = (
            open_store("sqlite:///pbem.db", self.folder) if self.memory is None else opened(self.memory)
        )
        self._life = ExitStack()
        self._life.enter_context(self.store.connected())
        self.hosts = [Host(self.config, self.store, PRINTER, KEYS) for _ in range(2)]
        self.poller = self._poller(self.hosts[0])

    def _end(self) -> None:
        self._life.close()

    def _poller(self, host: Host) -> ImapPoller:
        account = self.config.intake.imap[0]
        return ImapPoller(
            account,
            self.store,
            lambda mails: receive.receive_all(host, mails),
            lambda: self.now,
            limit=self.config.limits.mail_taken,
            alarm=self.story.append,
        )

    # ---- a step ----

    def _step(self) -> None:
        self.number += 1
        self.now += self.lot.choice((0, 1, SECOND, MINUTE, 7 * MINUTE, 20 * MINUTE))
        self.latest = max(self.latest, self.now)
        acts: tuple[Callable[[], object], ...] = (
            self._write, self._hand_over, self._poll, self._work, self._tick, self._send, self._round, self._jump,
            self._misfortune, self._mailbox_changes,
        )  # fmt: skip
        act = self.lot.choices(acts, (22, 25, 6, 14, 8, 9, 1, 9, 9, 1))[0]
        self._live(act)
        if self.number % 10 == 0:
            for host in self.hosts:
                self.witness.audit(host)

    def _live(self, act: Callable[[], object]) -> None:
        """Does something as the process that runs now, which may die of it."""
        name, self.fate.struck = act.__name__.strip("_"), ""
        sent = len(self.smarthost.taken)
        try:
            told = act()
        except Killed:
            told = self.fate.struck
            self._die()
        except (StoreError, Faulty, OSError, IMAPClientError) as error:
            told = f"{type(error).__name__}: {error}"
            if isinstance(error, StoreError | Faulty) and not self.fate.struck:
                raise
        self.story.append(f"{self.number} {self.now} {name}: {told}")
        self._after(sent)

    def _after(self, sent: int) -> None:
        if self.fate.struck:
            self.counted[self.fate.struck.partition(" ")[0]] += 1
            self.refused_at = self.latest
            self._unknown_answer(sent)
        raised = self._errors.take()
        assert self.fate.struck or not raised, f"something was raised: {raised}"
        self.witness.look(self.store, self.latest)
        self._deliver_letters()

    def _unknown_answer(self, sent: int) -> None:
        """Of a mail that the smart host took in this step, and that is not marked as sent, the process knows nothing."""
        for mail in self.smarthost.taken[sent:]:
            with self.store.reading():
                state = next(self.store.rows("SELECT state FROM outbox WHERE content = ?", mail.content))[0]
            if state == "ready" and not self.smarthost.may_repeat[mail.id]:
                self.smarthost.may_repeat[mail.id] = 1

    def _die(self) -> None:
        assert not self.store.db.in_transaction(), "the transaction outlives its process"
        self._life.close()
        self._start()

    def _deliver_letters(self) -> None:
        """What the smart host has taken comes to its readers."""
        by_address = {person.address: person for person in self.people.values()}
        for mail in self.smarthost.taken[self._delivered :]:
            person = by_address.get(mail.recipient)
            if person is not None:
                (person.questions if is_question(mail) else person.box).append(mail)
        self._delivered = len(self.smarthost.taken)

    # ---- what may happen ----

    def _write(self) -> str:
        written = None
        if self.lot.random() < 0.3:
            written = self.pen.answer(self.lot.choice(sorted(self.people)), self.now)
        written = written or self.pen.anything(self.witness.state, self.now)
        copies = self.pen.copies(written, self.now)
        self.transit += copies
        self.counted["mails"] += len(copies)
        doors = " ".join(copy.door for copy in copies)
        said = written.body.splitlines()[:1]
        return f"{written.author} as {written.claims}: {written.kind} {written.number} {said} by {doors}"

    def _hand_over(self) -> str:
        """One of the mails that are on their way comes to a door; what is not acknowledged stays on its way."""
        if not self.transit:
            return "nothing"
        copy = self.transit.pop(self.lot.randrange(len(self.transit)))
        digest = hashlib.sha256(copy.content).hexdigest()
        self.witness.is_handed(copy, digest)
        if copy.door == "imap":
            self.mailbox.put(copy.content, self.now)
            return f"{copy.written.number} into the mailbox"
        envelope = Envelope(self.now, copy.written.sender, copy.written.recipient)
        try:
            taken = receive.receive(self._any_host(), copy.content, envelope, SOURCES[copy.door])
        except BaseException:
            self.transit.append(copy)
            raise
        self.witness.acknowledged.add(digest)
        return f"{copy.written.number} by {copy.door}: {taken}"

    def _poll(self) -> str:
        taken = self._fetched = self.poller.poll_once()
        self.witness.acknowledged |= {
            hashlib.sha256(self.mailbox.mails[uid][0]).hexdigest() for uid in self.mailbox.seen
        }
        return f"{taken} from the mailbox"

    def _work(self) -> str:
        most = self.lot.choice((1, 2, 5, MOST_AT_ONCE))
        return f"{self._work_off(self._any_host(), most)} worked off"

    def _work_off(self, host: Host, most: int) -> int:
        asked = itertools.count()
        worked = process.work_off(host, self.now, lambda: next(asked) >= most)
        assert worked < MOST_AT_ONCE, "the worker goes in circles"
        return worked

    def _tick(self) -> str:
        attended = calendar.tick(self._any_host(), self.now)
        if not self.fate.struck and self.latest - self.refused_at > calendar.RETRY_AFTER:
            self.witness.look(self.store, self.latest)
            self.witness.nothing_is_late(self.store, self.now)
        return f"{attended} games"

    def _send(self) -> str:
        return str(worker.send_all(self._any_host(), lambda: self.now))

    def _round(self) -> str:
        """A whole round of the worker, pages included where the game has any."""
        if not self.variant.public:
            return self._tick()
        return f"{worker.work_through(self.hosts[0], lambda: self.now)} worked off, and the pages"

    def _jump(self) -> str:
        """The clock goes to what is next due or just before, a day on, or back."""
        with self.store.reading():
            due = eventlog.next_due(self.store) or self.now
        self.now = self.lot.choice(
            (max(due, self.now), max(due - 1, self.now), max(due + 1, self.now), self.now + 5 * HOUR, self.now + DAY,
             self.now - HOUR)
        )  # fmt: skip
        self.latest = max(self.latest, self.now)
        return str(self.now)

    def _misfortune(self) -> str:
        """Something is going to go wrong, or all is well for a while."""
        strokes: tuple[Stroke, ...] = ("killed", "killed", "killed", "refused", "faulty")
        which = self.lot.choice((*strokes, "smart host", "mailbox", "all is well"))
        for stroke in strokes:
            if which == stroke:
                self.fate.arm(self.lot.randint(1, 20), stroke)
                return which
        if which == "all is well":
            self.smarthost.trouble = self.mailbox.trouble = 0.0
        elif which == "smart host":
            self.smarthost.trouble = self.lot.choice((0.2, 0.5, 1.0))
        else:
            self.mailbox.trouble = self.lot.choice((0.1, 0.3))
        return which

    def _mailbox_changes(self) -> str:
        (self.mailbox.make_anew if self.lot.random() < 0.5 else self.mailbox.empty)()
        return f"UIDVALIDITY {self.mailbox.uidvalidity}"

    def _any_host(self) -> Host:
        """Two processes have the game in memory, and each finds out what the other has written."""
        return self.lot.choice(self.hosts)

    # ---- the end ----

    def _come_to_rest(self) -> None:
        """All is well from now on: every mail arrives, is answered and sent, and every question is answered."""
        self.fate.rest()
        self.smarthost.trouble = self.mailbox.trouble = 0.0
        for _ in range(300):
            self.number += 1
            for act in (self._hand_over_all, self._poll, self._work_all, self._tick, self._send):
                self._live(act)
            self._answer_all()
            nearest = self._nearest()
            if nearest is None:
                break
            self.now = max(self.now + MINUTE, nearest)
            self.latest = max(self.latest, self.now)
        else:
            raise AssertionError("the world does not come to rest")
        for host in self.hosts:
            self.witness.verdict(host)
        if self.variant.public:
            self._pages_show_the_log()

    def _hand_over_all(self) -> str:
        count = len(self.transit)
        for _ in range(count):
            self._hand_over()
        return f"{count} handed over"

    def _work_all(self) -> str:
        return f"{sum(self._work_off(host, MOST_AT_ONCE) for host in self.hosts)} worked off"

    def _answer_all(self) -> None:
        for name in sorted(self.people):
            while written := self.pen.answer(name, self.now):
                self.transit += self.pen.copies(written, self.now)

    def _nearest(self) -> int | None:
        """When the next mail is to be tried; None when none waits any more."""
        if self.transit or self._fetched:
            return self.now
        with self.store.reading():
            inbox = self.store.rows("SELECT MIN(due) FROM inbox WHERE state IN ('new', 'failed')")
            outbox = self.store.rows("SELECT MIN(due) FROM outbox WHERE state = 'ready' AND due < ?", PAUSED)
            found = [due for rows in (inbox, outbox) for (due,) in rows if due is not None]
        return min(found, default=None)

    def _pages_show_the_log(self) -> None:
        """8: the pages that came about bit by bit are those that are made at once."""
        publishing.publish_due(self.hosts[0], self.now)
        fresh = Host(self.config, self.store, PRINTER, KEYS)
        publishing.publish_now(fresh, GAME, self.folder / "anew")
        shown, made = (_pages(folder / GAME) for folder in (self.config.site.folder, self.folder / "anew"))
        assert shown == made, (
            f"8: pages differ: {sorted(p for p in {*shown, *made} if shown.get(p) != made.get(p))}"
        )

    @property
    def figures(self) -> dict[str, int]:
        """What the world was, as the table of promises counts."""
        struck = sum(self.counted[stroke] for stroke in ("killed", "refused", "faulty"))
        broken = self.smarthost.faults.total() + self.mailbox.cuts
        seen = self.witness
        return {
            "faults": struck + broken,
            "mails": self.counted["mails"],
            "lost": seen.lost,
            "doubled": seen.doubled,
            "accepted": seen.in_anothers_name,
        }

    def _digest(self) -> str:
        """Of the story, the log, and every mail that went out."""
        everything = hashlib.sha256("\n".join(self.story).encode("utf-8", "surrogatepass"))
        for record in self.witness.records:
            everything.update(record.hash.encode())
        for mail in self.smarthost.taken:
            everything.update(mail.content)
        return everything.hexdigest()


def _pages(folder: Path) -> dict[str, bytes]:
    top = folder.resolve()
    return {
        str(file.relative_to(top)): file.read_bytes() for file in sorted(top.rglob("*")) if file.is_file()
    }


class _Errors(logging.Handler):
    """What our code logs as gone wrong with a traceback: none of it may be, but for what fate has struck."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._found.append(
            f"{record.getMessage()} {record.exc_info[1]!r}" if record.exc_info else record.getMessage()
        )

    def take(self) -> list[str]:
        found, self._found = self._found, []
        return found

    @contextmanager
    def caught(self) -> Iterator[None]:
        log = logging.getLogger("pbem")
        level, propagates = log.level, log.propagate
        log.addHandler(self)
        log.setLevel(logging.ERROR)
        log.propagate = False
        try:
            yield
        finally:
            log.removeHandler(self)
            log.setLevel(level)
            log.propagate = propagates
