"""The frame of every command: options they share, the settings and database they open, and how they fail.

What lives here: the group, and the fence at which an error becomes one sentence with its cure. What never may:
what a single command does.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from pbem import __version__
from pbem.config import Config, ConfigError, load
from pbem.game.model import Refused
from pbem.mail.phrasing import phrase
from pbem.render import Printer
from pbem.service import mirroring
from pbem.service.books import Host
from pbem.service.founding import NotFounded
from pbem.service.keys import BadKeys, host_keys
from pbem.service.notdone import NotDone
from pbem.service.upgrading import bring_up_to_date
from pbem.store.db import StoreError, open_store
from pbem.store.eventlog import NoSuchGame
from pbem.store.upgrade import NewerDatabase

log = logging.getLogger(__name__)

GUIDE = """Nomic by mail: a server for the game whose moves are changes of its own rules.

\b
  pbem demo                  watch a whole game played by four scripted players
  pbem init                  write pbem.toml and the database here
  pbem new kaffe --title 'Kaffe' --language sv --keeper you@example.org --player 'Ann Alm <ann@example.org>'
  pbem serve                 take mail, play, answer, publish

Every command has --help with an example.
"""


class Failure(click.ClickException):
    """The command was refused, or found something wanting: one sentence, exit code 1."""


@dataclass
class Settings:
    """What all commands are given on the command line."""

    config: Path | None = None
    debug: bool = False

    @property
    def path(self) -> Path:
        """The settings file, there or not."""
        return self.config or Path(os.environ.get("PBEM_CONFIG", "pbem.toml"))

    def load(self) -> Config:
        """The settings of this host. Fails, saying how to make some, when there are none."""
        if not self.path.is_file():
            raise click.UsageError(
                f"there is no {self.path} here; `pbem init` writes one, or name it with --config"
            )
        return load(self.path, os.environ)

    @contextmanager
    def host(self) -> Iterator[Host]:
        """The host with its database open, brought up to date first."""
        with open_host(self.load()) as host:
            yield host
            if host.published.is_set() and host.config.site.after:
                _carry(host)


def _carry(host: Host) -> None:
    """The command after publishing. Its failure is told, and is none of what was asked for: a mail is in, say."""
    try:
        mirroring.carry(host.config.site)
    except mirroring.NotMirrored as error:
        log.error("%s", error)  # the sentence says it all


@contextmanager
def open_host(config: Config) -> Iterator[Host]:
    """A host from its settings, with its database open, brought up to date first."""
    store = open_store(config.database, config.path.parent)
    try:
        with store.connected():
            done = bring_up_to_date(config, store, now())
            if done.kept is not None:
                log.warning("the database is brought up to date; as it was it is kept as %s", done.kept)
            yield Host(config, store, Printer(phrase), host_keys(config.identity.key))
    finally:
        store.close()


class _Fence(click.Group):
    """Turns what can go wrong for a host into one sentence, unless --debug asks for the traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ConfigError, BadKeys, NotFounded) as error:
            self._fail(ctx, error, str(error), 2)
        except NewerDatabase as error:
            self._fail(
                ctx, error, f"the database is of a later version of pbem ({error}); install that one", 2
            )
        except (Refused, NotDone) as error:
            self._fail(ctx, error, str(error), 1)
        except NoSuchGame as error:
            self._fail(ctx, error, f"there is no game called {error}; `pbem list` shows them", 2)
        except (click.exceptions.Exit, click.Abort, click.ClickException, BrokenPipeError):
            raise
        except (StoreError, OSError) as error:
            self._fail(ctx, error, f"{error}", 1)
        except Exception as error:  # a fault of ours: no host is shown a traceback unasked
            self._fail(
                ctx,
                error,
                f"a fault in pbem itself ({type(error).__name__}: {error}); --debug shows where",
                1,
            )

    def _fail(self, ctx: click.Context, error: Exception, sentence: str, code: int) -> None:
        if ctx.ensure_object(Settings).debug:
            raise error
        click.echo(f"pbem: {sentence}", err=True)
        ctx.exit(code)


@click.group(cls=_Fence, help=GUIDE, invoke_without_command=True)
@click.option(
    "--config", type=click.Path(path_type=Path), help="The settings [default: pbem.toml, or $PBEM_CONFIG]."
)
@click.option("--debug", is_flag=True, help="Log everything, and show tracebacks.")
@click.version_option(__version__, prog_name="pbem")
@click.pass_context
def main(ctx: click.Context, config: Path | None, debug: bool) -> None:
    ctx.obj = Settings(config, debug)
    _log(debug)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _log(debug: bool) -> None:
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.DEBUG if debug else logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    # At DEBUG these write down what is confidential: passwords at login, and every mail's bytes.
    for library in ("mail.log", "peewee", "imapclient.imaplib"):
        logging.getLogger(library).setLevel(logging.INFO)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal for long work: it is told how much is done, and of how much. Nothing where there is none."""
    with ExitStack() as opened:
        bars: list[Any] = []

        def progress(done: int, of: int) -> None:
            if not bars and sys.stderr.isatty():
                bars.append(opened.enter_context(click.progressbar(length=of, label=label, file=sys.stderr)))
            for bar in bars:
                bar.update(done - bar.pos)

        yield progress


def now() -> int:
    """Now, in UTC µs."""
    return time.time_ns() // 1000


class Time(click.ParamType[int]):
    """A moment in ISO 8601 (UTC unless it says), as UTC µs."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time; write for instance 2026-12-01T10:00Z", param, ctx)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


_UNITS = {"s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}


class Step(click.ParamType[int]):
    """A time between mails, `30s`, `1m`, `2h` or `1d`, in µs."""

    name = "STEP"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"\+?(\d{1,6})([smhd])", value)
        if found is None:
            self.fail(f"{value!r} is not a step; write for instance 1m", param, ctx)
        return int(found[1]) * _UNITS[found[2]]


TIME, STEP = Time(), Step()

at_option: Callable[[Any], Any] = click.option(
    "--at", type=TIME, default=None, help="When it happens, ISO 8601 [default: now]. For replays."
)
json_option: Callable[[Any], Any] = click.option("--json", "as_json", is_flag=True, help="As JSON.")


for _commands in (
    *(
        "carrying",
        "demo",
        "explaining",
        "founding",
        "keeping",
        "moving",
        "playing",
        "posting",
        "queueing",
        "reading",
        "rules",
    ),
    "watching",
):
    import_module(f"pbem.cli.{_commands}")  # each adds its own to `main`
