"""Several processes on one PostgreSQL, with the settings in deploy/several-workers: they share the work, and none is needed."""

from __future__ import annotations

import time
from collections import Counter
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


def test_workers_share_what_there_is_to_do_and_none_of_them_is_needed(
    tmp_path: Path, postgres_url: str
) -> None:
    empty(postgres_url)
    with SmartHost() as smarthost:
        changes = {
            "postgresql:///pbem?host=/run/postgresql": postgres_url,
            "/var/lib/pbem": tmp_path,
            "port = 25": f"port = {smarthost.port}",
            "[identity]": "[identity]\nbelieve_from = true",
        }
        for name, more in (("pbem", {"port = 8025": "port = 0"}), ("worker", {})):
            (tmp_path / f"{name}.toml").write_text(shipped(f"several-workers/{name}.toml", changes | more))
        settings = tmp_path / "worker.toml"
        people = (("Anna Alm", ADDRESS), ("Bo Berg", "bo@berg.example"))
        with open_host(load(settings, {})) as host:
            for game in GAMES:
                found(
                    host,
                    Plan(
                        game,
                        game,
                        "en",
                        "suber",
                        ("Kim", "kim@kvist.example"),
                        people,
                        {},
                        True,
                        time.time_ns() // 1000,
                    ),
                )

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
        with open_host(load(settings, {})) as host, host.store.reading():
            rows = queues.inbox_log(host.store, limit=100)
        assert Counter((row.state, row.repeats) for row in rows) == {("done", 0): 40}
        for game in GAMES:
            told = pbem(tmp_path, "--config", str(settings), "verify", game)
            assert "every link of the chain holds" in told
