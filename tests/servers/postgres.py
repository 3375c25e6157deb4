"""A private PostgreSQL on a free port of the loopback, thrown away at the end of the session.

Works for root too: the server then runs as the user `postgres` or `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.servers.ports import free_port


class Postgres:
    """`with Postgres() as server:`; `server.url` is the address of an empty database."""

    def __init__(self) -> None:
        programs = _programs()
        if programs is None:
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="pbem-postgres-"))
        self._identity = _identity(self._folder)
        self._port = free_port()
        self.url = f"postgresql://pbem@127.0.0.1:{self._port}/postgres"

    def __enter__(self) -> Postgres:
        create = ("-U", "pbem", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        self._run("initdb", *create)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._run("pg_ctl", "-m", "fast", "stop", check=False)  # a hard stop leaves memory behind
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Up, after whatever it must make good of a stop."""
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={self._port} -c unix_socket_directories={self._folder}"
        )
        # A test's database need not survive the machine; commits keep their meaning for clients all the same.
        options += " -c fsync=off"
        log = self._folder / "log"
        self._run("pg_ctl", "-w", "-t", "60", "-l", log, "-o", options, "start")

    def stop_hard(self) -> None:
        """As in a crash: no client is told goodbye, and nothing is finished."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def processor_seconds(self) -> float:
        """What it has taken of the processors so far, with all its processes."""
        head = (self._folder / "data" / "postmaster.pid").read_text().split()[0]
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                pid, after = stat.parent.name, stat.read_text().rpartition(")")[2].split()
                if pid == head:
                    ticks += sum(map(int, after[11:15]))  # its own, and those of its children that have ended
                elif after[1] == head:
                    ticks += sum(map(int, after[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def _run(self, program: str, *arguments: str | Path, check: bool = True) -> None:
        command = [self._programs / program, "-D", self._folder / "data", *arguments]
        subprocess.run(command, check=check, stdout=subprocess.DEVNULL, **self._identity)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of an empty database."""
    with Postgres() as server:
        yield server.url


def empty(url: str) -> None:
    """Drop everything in the database."""
    import psycopg  # noqa: PLC0415  # an extra: only where the server is there as well

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def _programs() -> Path | None:
    # Debian keeps them out of the PATH, one folder a version.
    for folder in sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True
    ):
        if (folder / "initdb").exists():
            return folder
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def _identity(folder: Path) -> dict[str, Any]:
    if os.geteuid() != 0:
        return {"cwd": folder}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"cwd": folder, "user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
