"""Mail through the command line, and the parts of a running server one at a time."""

from __future__ import annotations

import hashlib
import logging
import mailbox
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from pbem.cli.app import STEP, Failure, Settings, at_option, main, now, progress_bar
from pbem.cli.stopping import hold_stops, stop_now, wait_for_stop
from pbem.config import Intake, MaildirDelivery
from pbem.mail.message import Envelope
from pbem.service import calendar, listing, mirroring, publishing, searching, supervisor, worker
from pbem.service.books import Host
from pbem.service.receive import TRUSTED, receive, receive_all, too_early
from pbem.store import eventlog, queues

NO_WAY_IN = Intake(smtp=None, imap=(), maildir=None)
NOT_STORED = 75
"""EX_TEMPFAIL (sysexits): the mail server keeps the mail and tries again."""


@main.command()
@click.argument(
    "files", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
)
@click.option(
    "--mbox", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="All mails of an mbox."
)
@click.option(
    "--maildir", type=click.Path(path_type=Path, exists=True, file_okay=False), help="All mails of a Maildir."
)
@at_option
@click.option("--step", type=STEP, default="0s", help="Time between one mail and the next, e.g. 1m.")
@click.option("--trust-from", is_flag=True, help="You vouch that From is genuine.")
@click.pass_obj
def deliver(
    obj: Settings,
    files: tuple[Path, ...],
    mbox: Path | None,
    maildir: Path | None,
    at: int | None,
    step: int,
    trust_from: bool,
) -> None:
    """Take mails from FILES (or standard input) in the order given, work them off, answer and publish.

    Tells in a line what became of each. Exit code 0 once stored, whatever the game answers; 75 when a mail could not be stored.

    \b
    Example: pbem deliver --trust-from --at 2026-12-01T10:00Z --step 1m 01.eml 02.eml
    """
    source = TRUSTED if trust_from else "deliver"
    with _or_not_stored(obj), obj.host() as host:
        for place, (name, content) in enumerate(_mails(files, mbox, maildir)):
            received = now() if at is None else at + place * step
            envelope = Envelope(received)
            if at is not None and (game := too_early(host, content, envelope, source)):
                raise click.UsageError(
                    f"{game} is already past that time: --at may not be earlier than its last event"
                )
            taken = receive(host, content, envelope, source)
            _go_on(obj, lambda: _work_off(host, received))  # noqa: B023  # called at once
            click.echo(f"{name}: {_became(host, content, taken)}")
        _go_on(obj, lambda: worker.send_all(host))


def _work_off(host: Host, received: int) -> None:
    calendar.tick(host, received)
    worker.work_through(host, lambda: received)


def _go_on(obj: Settings, part: Callable[[], object]) -> None:
    """What comes after storing may fail without harm: the mail is safe, and `pbem work` does the rest."""
    try:
        part()
    except Exception as error:
        if obj.debug:
            raise
        click.echo(f"pbem: stored, but then: {error}; `pbem work` goes on from there", err=True)


class _or_not_stored:  # noqa: N801  # reads as a word of the `with` line
    """Anything but a wrong command line, before a mail is stored, is for the mail server to try again."""

    def __init__(self, obj: Settings) -> None:
        self.debug = obj.debug

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or self.debug or isinstance(error, click.ClickException | click.exceptions.Exit):
            return
        if isinstance(error, Exception):
            click.echo(f"pbem: not stored: {error}", err=True)
            sys.exit(NOT_STORED)


def _became(host: Host, content: bytes, taken: str) -> str:
    """What became of a mail, in a few words."""
    if taken == "repeat":
        return "taken before"
    digest = hashlib.sha256(content).hexdigest()
    with host.store.reading():
        found = next(iter(queues.inbox_log(host.store, digest=digest)), None)
    if found is None:
        return "stored"
    if found.state == "held":
        return f"{found.result}" if found.author else f"{found.result} (--trust-from vouches for it)"
    return f"{found.game or 'no game'}: {found.result or found.state}"


def _mails(files: tuple[Path, ...], mbox: Path | None, maildir: Path | None) -> Iterator[tuple[str, bytes]]:
    """Each mail with a name for it."""
    for file in files:
        yield str(file), sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    if mbox is not None:
        yield from _mbox(mbox)
    if maildir is not None:
        yield from _maildir(maildir)
    if not (files or mbox or maildir):
        yield "-", sys.stdin.buffer.read()


def _mbox(file: Path) -> Iterator[tuple[str, bytes]]:
    with closing(mailbox.mbox(file, create=False)) as box:
        for place, key in enumerate(box.iterkeys(), 1):
            yield f"{file} {place}", box.get_bytes(key)


def _maildir(folder: Path) -> Iterator[tuple[str, bytes]]:
    found = [file for part in ("new", "cur") for file in (folder / part).glob("[!.]*")]
    for file in sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name)):
        yield str(file), file.read_bytes()


@main.command()
@at_option
@click.pass_obj
def tick(obj: Settings, at: int | None) -> None:
    """Do what is due: close votes, note deadlines, send reminders.

    \b
    Example: pbem tick --at 2026-12-08T10:00Z
    """
    with obj.host() as host:
        games = calendar.tick(host, at if at is not None else now())
        publishing.publish_due(host)
        worker.send_all(host)
    click.echo(f"Done what was due in {games} game(s)." if games else "Nothing was due.")


keep_on_option: Callable[[Any], Any] = click.option(
    "--keep-on", is_flag=True, help="Go on with this alone until told to stop (SIGTERM, Ctrl-C)."
)


@main.command()
@keep_on_option
@click.pass_obj
def work(obj: Settings, keep_on: bool) -> None:
    """Work off the mails that wait, and what is due, once, and publish.

    With --keep-on it goes on, and leaves the pages to `pbem publish --keep-on`. On PostgreSQL any number of these may run.

    \b
    Examples:
      pbem work
      pbem --config /etc/pbem/worker.toml work --keep-on
    """
    if keep_on:
        _keep_on(obj, "work")
        return
    with obj.host() as host:
        click.echo(f"Worked off {worker.work_through(host)} mail(s).")


@main.command()
@keep_on_option
@click.pass_obj
def send(obj: Settings, keep_on: bool) -> None:
    """Deliver the mails in the outbox that are due.

    \b
    Examples:
      pbem send
      pbem --config /etc/pbem/worker.toml send --keep-on
    """
    if keep_on:
        _keep_on(obj, "send")
        return
    with obj.host() as host:
        sent = worker.send_all(host)
    click.echo(f"Sent {sent.sent}, put off {sent.deferred}, given up {sent.given_up}.")


@main.command()
@click.pass_obj
def poll(obj: Settings) -> None:
    """Fetch new mail from the IMAP mailboxes and the Maildir in the settings, once.

    \b
    Example: pbem poll
    """
    with obj.host() as host:
        found = worker.pollers(host, lambda mails: receive_all(host, mails))
        if not found:
            raise click.UsageError(
                "no mailbox is set: write [[intake.imap]] or [intake.maildir] in pbem.toml"
            )
        click.echo(f"Took in {sum(poller.poll_once() for poller in found)} mail(s).")


@main.command()
@click.argument("game", required=False)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Into this folder [default: the site's]."
)
@keep_on_option
@click.pass_obj
def publish(obj: Settings, game: str | None, out: Path | None, keep_on: bool) -> None:
    """Publish the pages of GAME, or of all games, now. Those of private games are taken away.

    With --keep-on it publishes each game when something has happened in it; it is for all games, and the site's folder.

    \b
    Examples:
      pbem publish kaffe --out /tmp/pages
      pbem --config /etc/pbem/worker.toml publish --keep-on
    """
    if keep_on:
        if game or out:
            raise click.UsageError("--keep-on is for all games, and for the site's folder")
        _keep_on(obj, "publish")
        return
    with obj.host() as host:
        folder = out or host.config.site.folder
        with host.store.reading():
            games = [game] if game else [entry.slug for entry in eventlog.games(host.store)]
        up = [each for each in games if _published(host, each, folder)]
        listing.publish_index(host, folder)
        searching.make(folder, up)
        if host.config.site.after and folder == host.config.site.folder:
            mirroring.carry(host.config.site)
    click.echo(f"Published {', '.join(up) or 'no game'} in {folder}.")
    if private := [each for each in games if each not in up]:
        click.echo(f"Private, and not published: {', '.join(private)}.")


def _published(host: Host, game: str, folder: Path) -> bool:
    with progress_bar(game) as progress:
        return publishing.publish_now(host, game, folder, progress)


@main.command()
@click.pass_obj
def serve(obj: Settings) -> None:
    """Take mail, play, answer and publish, until told to stop (SIGTERM, Ctrl-C).

    \b
    Example: pbem --config /etc/pbem/pbem.toml serve
    """
    _keep_on(obj, None)


_AT_IT: dict[worker.Part | None, str] = {
    None: "Serving",
    "work": "Working",
    "send": "Sending",
    "publish": "Publishing",
}


def _keep_on(obj: Settings, part: worker.Part | None) -> None:
    """A server, or one part of it, until told to stop."""
    logging.getLogger("pbem").setLevel(logging.DEBUG if obj.debug else logging.INFO)
    hold_stops()
    with obj.host() as host:
        server = worker.Server(host, stop_now, part)
        server.start()
        if part is None:
            _say_what_runs(host, server)
        click.echo(f"{_AT_IT[part]}. Ctrl-C stops.")
        supervisor.tell(supervisor.READY)
        wait_for_stop()
        supervisor.tell(supervisor.STOPPING)
        click.echo("Stopping: what is under way is finished first.")
        server.stop()
        if server.broken is not None:
            raise Failure(
                f"the disk failed under the database ({server.broken}); no mail was lost: what was not stored was not"
                " acknowledged. Look at the disk, then `pbem serve` and `pbem verify`"
            )


def _say_what_runs(host: Host, server: worker.Server) -> None:
    if server.listener is not None:
        click.echo(f"Mail is taken on port {server.listener.port} for {host.config.mail.address}.")
    for account in host.config.intake.imap:
        click.echo(f"Mail is fetched from {account.user} at {account.host}.")
    if host.config.intake.maildir is not None:
        click.echo(f"Mail is taken from {host.config.intake.maildir.folder}.")
    if server.preview is not None:
        click.echo(f"The pages are at {server.preview.url}.")
    if host.config.intake == NO_WAY_IN:
        click.echo("No way in is set: write an [intake…] section in pbem.toml, or use `pbem deliver`.")
    if isinstance(host.config.delivery, MaildirDelivery):
        click.echo(f"Mail out goes into folders in {host.config.delivery.folder}.")
