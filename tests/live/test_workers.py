"""Several processes on one PostgreSQL, with the settings in deploy/several-workers: they share the work, and none is needed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import load
from pbem.mail.message import Envelope
from pbem.service.founding import Plan, found
from pbem.service.receive import receive
from pbem.store import queues
from tests.live.test_serve import ADDRESS, all_answers, question
from tests.servers.postgres import empty, postgres_url
from tests.servers.running import Running, pbem, until
from tests.servers.shipped import shipped
from tests.servers.smarthost import SmartHost

pytestmark = pytest.mark.live
__all__ = ["postgres_url"]

GAMES = ("kaffe", "te")


def ask(settings: Path, names: range) -> set[str]:
    """Questions, stored as by a process that then does nothing more; gives their names."""
    asked = [(f"q{number}", GAMES[number % 2]) for number in names]
    with open_host(load(settings, {})) as host:
        for name, game in asked:
            mail = question(name).replace(b"Subject: ", f"Subject: [{game}] ".encode())
            receive(host, mail, Envelope(time.time_ns() // 1000, ADDRESS), "lmtp 127.0.0.1")
    return {name for name, _ in asked}


@contextmanager
def several_workers(folder: Path, url: str) -> Iterator[SmartHost]:
    """A host with the settings in deploy/several-workers, and its games; whatever it sends goes there."""
    empty(url)
    with SmartHost() as smarthost:
        changes = {
            "postgresql:///pbem?host=/run/postgresql": url,
            "/var/lib/pbem": folder,
            "port = 25": f"port = {smarthost.port}",
            "[identity]": "[identity]\nbelieve_from = true",
        }
        for name, more in (("pbem", {"port = 8025": "port = 0"}), ("worker", {})):
            (folder / f"{name}.toml").write_text(shipped(f"several-workers/{name}.toml", changes | more))
        with open_host(load(folder / "worker.toml", {})) as host:
            for game in GAMES:
                found(host, plan(game))
        yield smarthost


def plan(game: str) -> Plan:
    people = (("Anna Alm", ADDRESS), ("Bo Berg", "bo@berg.example"))
    keeper = ("Kim Kvist", "kim@kvist.example")
    return Plan(game, game, "en", "suber", keeper, people, {}, True, time.time_ns() // 1000)


def whole(folder: Path, count: int) -> None:
    """So many mails are worked off, each once, and the logs are whole."""
    settings = folder / "worker.toml"
    with open_host(load(settings, {})) as host, host.store.reading():
        rows = queues.inbox_log(host.store, limit=100)
    assert Counter((row.state, row.repeats) for row in rows) == {("done", 0): count}
    for game in GAMES:
        told = pbem(folder, "--config", str(settings), "verify", game)
        assert "every link of the chain holds" in told


def test_workers_share_what_there_is_to_do_and_none_of_them_is_needed(
    tmp_path: Path, postgres_url: str
) -> None:
    settings = tmp_path / "worker.toml"
    with several_workers(tmp_path, postgres_url) as smarthost:
        worker = ("--config", str(settings), "serve")
        with (
            Running(tmp_path, "--config", str(tmp_path / "pbem.toml"), "serve").start() as front,
            Running(tmp_path, *worker).start() as one,
            Running(tmp_path, *worker).start() as two,
        ):
            first = ask(settings, range(20))
            answers = until(lambda: all_answers(smarthost, first), "all answers")
            assert answers == Counter(dict.fromkeys(first, 1))
            front.stop()
            one.kill()
            second = ask(settings, range(20, 40))
            answers = until(lambda: all_answers(smarthost, first | second), "the answers of one worker")
            assert answers == Counter(dict.fromkeys(first | second, 1))
            until(lambda: all((tmp_path / "site" / game / "index.html").is_file() for game in GAMES), "pages")
            assert "Traceback" not in front.log() + one.log() + two.log()
        whole(tmp_path, 40)


def test_each_part_goes_on_by_itself_twice_and_one_of_each_is_enough(
    tmp_path: Path, postgres_url: str
) -> None:
    settings = tmp_path / "worker.toml"
    with several_workers(tmp_path, postgres_url) as smarthost, ExitStack() as room:
        parts = [
            room.enter_context(Running(tmp_path, "--config", str(settings), part, "--keep-on").start())
            for part in ("work", "send", "publish", "work", "send", "publish")
        ]
        first = ask(settings, range(20))
        answers = until(lambda: all_answers(smarthost, first), "all answers")
        assert answers == Counter(dict.fromkeys(first, 1))
        until(lambda: all((tmp_path / "site" / game / "index.html").is_file() for game in GAMES), "pages")
        for part in parts[:3]:
            part.kill()
        second = ask(settings, range(20, 40))
        answers = until(lambda: all_answers(smarthost, first | second), "the answers of those that are left")
        assert answers == Counter(dict.fromkeys(first | second, 1))
        assert "Traceback" not in "".join(part.log() for part in parts)
        whole(tmp_path, 40)
