"""Until told to stop: how a command that runs on waits for SIGTERM or Ctrl-C.

What lives here: the signals and the wait. What never may: what is stopped, or in which order.
"""

from __future__ import annotations

import os
import signal

_SIGNALS = {signal.SIGTERM, signal.SIGINT}


def hold_stops() -> None:
    """Keeps the signals that stop us pending, in this thread and in those it starts from now on.

    A handler that sets an event is not enough: one that comes just before the wait for it runs only after.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)


def wait_for_stop() -> None:
    """Returns when one of the signals has come, be it before or now; call `hold_stops` before."""
    signal.sigwait(_SIGNALS)


def stop_now() -> None:
    """From any thread: whoever waits for a stop is told to."""
    os.kill(os.getpid(), signal.SIGTERM)
