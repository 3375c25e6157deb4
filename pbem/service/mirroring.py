"""The host's own command after pages were published (`[site] after`), e.g. one that copies them to another machine.

What lives here: running it, and trying again. What never may: a shell, a word of a player in the command, or a worker
that waits for it: it may take minutes.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Final

from pbem.config import Site

FIRST_WAIT: Final = 30.0
LONGEST_WAIT: Final = 3600.0
"""Seconds from a failure to the next try: twice as many each time."""
LONG: Final = 3600.0
"""Seconds of failures after which the host must hear of them."""
LONGEST_RUN: Final = 1800.0
"""Seconds after which the command is ended."""
_LAST_WORDS: Final = 400
_LOOK: Final = 0.2

log = logging.getLogger(__name__)


class NotMirrored(OSError):
    """The command failed; the sentence says how, with the last words of it."""


def carry(site: Site, stopped: Callable[[], bool] = lambda: False) -> None:
    """Runs the command in the site's folder, to its end or until `stopped`. Raises NotMirrored when it fails."""
    with tempfile.TemporaryFile() as said:
        try:
            running = subprocess.Popen(  # noqa: S603  # the host's own words, and no shell
                site.after,
                cwd=site.folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            raise NotMirrored(f"[site] after: {site.after[0]} cannot be run ({error.strerror})") from error
        ended = _wait(running, stopped)
        said.seek(max(0, said.seek(0, os.SEEK_END) - _LAST_WORDS))
        words = " ".join(said.read().decode("utf-8", "replace").split())
    if running.returncode and not stopped():
        raise NotMirrored(f"[site] after: {site.after[0]} {ended}{words and ': ' + words}")


def _wait(running: subprocess.Popen[bytes], stopped: Callable[[], bool]) -> str:
    """How the command ended; it is made to when it takes too long, or the server stops."""
    until = time.monotonic() + LONGEST_RUN
    while not stopped() and time.monotonic() < until:
        try:
            return f"ended with status {running.wait(_LOOK)}"
        except subprocess.TimeoutExpired:
            continue
    os.killpg(running.pid, signal.SIGTERM)
    running.wait()
    return f"took longer than {LONGEST_RUN / 60:.0f} minutes"


def keep_carrying(
    site: Site,
    published: threading.Event,
    stopping: threading.Event,
    alarm: Callable[[str], None],
    first_wait: float = FIRST_WAIT,
    long: float = LONG,
) -> None:
    """Runs the command each time something was published, and again after a failure, until the server stops.

    It is run once at the beginning too: what was published last may not have been carried. `alarm` is told the words of
    each failure once it has failed for `long` (seconds).
    """
    wait, well = first_wait, time.monotonic()
    published.set()
    while not stopping.is_set():
        if not published.wait(_LOOK):
            continue
        published.clear()
        try:
            carry(site, stopping.is_set)
            wait, well = first_wait, time.monotonic()
            log.info("carried the site: %s", site.after[0])
        except NotMirrored as error:
            log.error("%s; it is tried again in %.0f s", error, wait)  # the sentence says it all
            published.set()
            if time.monotonic() - well > long:
                alarm(str(error))
            stopping.wait(wait)
            wait = min(2 * wait, LONGEST_WAIT)
    published.clear()  # what is not carried yet is at the next start
