"""Every bench, one table: `python -m tests.bench` prints it, and with `--write` puts it on docs/performance.md.

`--only chain --only accept` runs some; `--long` runs those that take an hour at their full size. What cannot be measured on
this machine has its reason in the table.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import (
    accepting,
    chain,
    evening,
    growing,
    idle,
    machine,
    mailbox,
    mailman,
    mails,
    parsing,
    peers,
    publishing,
    table,
)
from tests.bench.big_book import BigBook
from tests.bench.table import Row, times
from tests.servers.postgres import Postgres

MAILS = 1_000
"""Of 3 to 50 KB, to be read."""
Bench = Callable[[bool], Iterator[Row]]


def _chain(_: bool) -> Iterator[Row]:
    whole, peer = chain.served(), mailman.handed_on()
    yield Row(
        f"the whole way of a mail of 8 KB, one core ({whole.out:.1f} mails out for each that comes in)",
        f"{1000 / whole.cpu:.0f} mails/s and core ({whole.cpu:.1f} ms), {whole.rate:.0f}/s by the clock",
        str(peer) if peer else "–",
        times(peer.cpu, whole.cpu) if peer else "–",
        "500 mails/s, 40 × Mailman" if peer else "500 mails/s",
    )
    machine.stay_on(machine.OURS)
    stages = chain.by_stages()
    parsed = parsing.cost(parsing.compat32, parsing.mails())
    worker = sum(cost for stage, cost in stages.shares.items() if stage not in chain.BESIDE_THE_WORKER)
    yield Row(
        "a mail in the worker, with its rows",
        f"{worker:.2f} ms",
        f"{parsed:.2f} ms (compat32)",
        times(worker, parsed),
        "≤ 4 ×",
    )
    for stage, cost in stages.shares.items():
        yield Row(f"– of {stages.mails} mails: {stage}", f"{cost:.2f} ms")
    yield Row("the first pages of a game, some sixty", f"{stages.first_pages:.0f} ms")
    far = sum(chain.by_stages(games=20, beside=10_000).shares[stage] for stage in chain.OF_THE_SENDER)
    near = sum(stages.shares[stage] for stage in chain.OF_THE_SENDER)
    yield Row(
        "whose a mail is, with 10,000 games on the host",
        f"{far:.2f} ms",
        f"{near:.2f} ms with 60",
        times(far, near),
        "1 ×",
    )


def _accept(_: bool) -> Iterator[Row]:
    ours, cpu = accepting.ours()
    peer = accepting.postfix() if peers.there("postfix") else None
    yield Row(
        "durable accept, 3 KB, 20 connections",
        f"{accepting.told(ours)}, {cpu:.2f} ms of one core a mail",
        f"Postfix, all cores: {accepting.told(peer)}" if peer else "Postfix is not installed",
        times(ours.rate, peer.rate) if peer else "–",
        "2,000/s, p50 ≤ 12 ms, p99 ≤ 50 ms, 3 × Postfix",
    )


def _read(_: bool) -> Iterator[Row]:
    machine.stay_on(machine.OURS)
    letters = mails.mails(MAILS)
    ours = parsing.cost(parsing.ours, letters)
    known = {"compat32": parsing.compat32, "policy.default": parsing.default}
    others = {name: parsing.cost(work, letters) for name, work in known.items()}
    replies = parsing.mail_parser_reply(letters)
    if replies:
        others["mail-parser-reply (new words alone)"] = replies
    for name, cost in others.items():
        yield Row(
            "read a mail as far as its commands",
            f"{1000 / ours:.0f}/s",
            f"{name}: {1000 / cost:.0f}/s",
            times(cost, ours),
            "1,500/s",
        )
    if not replies:
        yield Row("read a mail", "–", "mail-parser-reply could not be installed")


def _idle(_: bool) -> Iterator[Row]:
    yield Row("idle server: taken to receipt handed over", f"{idle.answered():.0f} ms", wanted="≤ 100 ms")
    yield Row("10,000 games, nothing to do", f"{idle.resting():.2f} % of a core", wanted="< 0.5 %")


def _mailbox(long: bool) -> Iterator[Row]:
    if not peers.there("dovecot"):
        yield Row("a mailbox that filled up", "Dovecot is not installed")
        return
    machine.stay_on(machine.OURS)
    count = 20_000 if long else mailbox.MAILS
    found = mailbox.worked_off(count)
    yield Row(
        f"a mailbox of {count:,} mails, taken in",
        f"{found.taken:.0f}/s by the clock, {found.taken_cpu:.0f}/s and core",
    )
    yield Row(
        "– and worked off and answered",
        f"{found.done:.0f}/s by the clock, {found.done_cpu:.0f}/s and core",
        wanted="400/s",
    )


def _growth(_: bool) -> Iterator[Row]:
    machine.stay_on(machine.OURS)
    early, late = growing.costs()
    yield Row(
        f"a mail at event {growing.LATE:,} of a game",
        f"{late:.2f} ms",
        f"{early:.2f} ms at event {growing.EARLY:,}",
        times(late, early),
        "≤ 1.2 ×",
    )


def _pages(_: bool) -> Iterator[Row]:
    game = BigBook(publishing.RULES, publishing.PROPOSALS)
    with tempfile.TemporaryDirectory() as name:
        found = publishing.measured(game, Path(name))
    whole, middle = found.whole[0], found.changes[len(found.changes) // 2] * 1000
    yield Row(
        f"{found.pages:,} pages of a game of {publishing.RULES:,} rules, all cores",
        f"{whole:.1f} s; so many files alone {found.alone:.1f} s",
        f"Pelican, as many: {found.peer:.1f} s" if found.peer else "–",
        times(found.peer, whole) if found.peer else "–",
        "≤ 3 s",
    )
    yield Row(
        f"one rule changed among {publishing.RULES:,}",
        f"{middle:.0f} ms",
        f"{whole:.1f} s for all pages",
        times(whole * 1000, middle),
        "≤ 60 ms",
    )


def _evening(long: bool) -> Iterator[Row]:
    games = 10_000 if long else evening.GAMES
    found = evening.spent(games)
    yield Row(
        f"an evening's {found.votes:,} votes in {games:,} games",
        f"{found.cpu:.2f} ms a vote, all digests right in {found.right:,} games, {found.memory:.0f} MB",
        wanted="50,000 votes in 10,000 games, all right, < 1 GB",
    )


def _postgres(_: bool) -> Iterator[Row]:
    from tests.bench import workers  # noqa: PLC0415  # it needs PostgreSQL's own programs

    with Postgres() as server, tempfile.TemporaryDirectory() as name:
        config = workers.settled(Path(name), server.url)
        one, two = (workers.measured(config, server, count, 1000, 50) for count in (1, 2))
    yield Row(
        "PostgreSQL: two workers",
        f"{two[0]:.0f} mails/s, {sum(two[1:]) * 1000:.2f} ms of processor a mail with the database's",
        f"{one[0]:.0f} mails/s with one, {sum(one[1:]) * 1000:.2f} ms",
        times(two[0], one[0]),
        "≥ 1.7 ×",
    )


BENCHES: dict[str, Bench] = {
    "chain": _chain,
    "accept": _accept,
    "read": _read,
    "idle": _idle,
    "mailbox": _mailbox,
    "growth": _growth,
    "pages": _pages,
    "evening": _evening,
    "postgres": _postgres,
}


def _measured(name: str, long: bool) -> list[Row]:
    """The rows of one bench; one that tells why, where it cannot be done here."""
    cores = os.sched_getaffinity(0)
    try:
        return list(BENCHES[name](long))
    except Exception as error:  # the other rows are worth having
        logging.getLogger(__name__).exception("%s could not be measured", name)
        return [Row(name, f"not measured: {type(error).__name__}")]
    finally:
        os.sched_setaffinity(0, cores)


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    asked.add_argument("--only", action="append", choices=BENCHES, help="this one; may be given again")
    asked.add_argument("--long", action="store_true", help="at full size, which takes an hour")
    asked.add_argument("--write", action="store_true", help=f"put the table on {table.PAGE.name}")
    given = asked.parse_args()
    logging.basicConfig(filename="/dev/null", level=logging.INFO)
    rows = [row for name in given.only or BENCHES for row in _told(_measured(name, given.long))]
    load = f"{machine.described()}; its load was {os.getloadavg()[2]:.1f}, ours included"
    block = table.written(rows, load, datetime.now(UTC).date().isoformat())
    sys.stdout.write(f"\n{block}\n")
    if given.write:
        table.PAGE.write_text(table.put_into(table.PAGE.read_text("utf-8"), block), "utf-8")


def _told(rows: list[Row]) -> list[Row]:
    for row in rows:
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} {row}\n")
    return rows


if __name__ == "__main__":
    main()
