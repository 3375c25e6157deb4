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
from pathlib import Path
from typing import Any

import pytest

from tests.servers.ports import free_port


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of an empty database."""
    programs = _programs()
    if programs is None:
        pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pbem-postgres-"))
    identity = _identity(folder)
    port = free_port()
    try:
        _start(programs, folder, port, identity)
        yield f"postgresql://pbem@127.0.0.1:{port}/postgres"
    finally:
        stop: list[str | Path] = [programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"]
        subprocess.run(stop, check=False, stdout=subprocess.DEVNULL, **identity)
        shutil.rmtree(folder, ignore_errors=True)


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


def _start(programs: Path, folder: Path, port: int, identity: dict[str, Any]) -> None:
    data = folder / "data"
    create: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "pbem",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C.UTF-8",
        "-N",
    ]
    subprocess.run(create, check=True, stdout=subprocess.DEVNULL, **identity)
    # A test's database need not survive the machine; commits keep their meaning for clients all the same.
    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder} -c fsync=off"
    start: list[str | Path] = [
        programs / "pg_ctl",
        "-D",
        data,
        "-w",
        "-t",
        "60",
        "-l",
        folder / "log",
        "-o",
        options,
        "start",
    ]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, **identity)
