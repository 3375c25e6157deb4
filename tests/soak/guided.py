"""The same as reading.py, guided by coverage. `pip install atheris`, then `python -m tests.soak.guided -max_total_time=600`

atheris is no dependency: it has no builds for every system, and reading.py looks for the same faults without it. The
options are libFuzzer's; inputs that fail are left in the folder it was started from. A folder of mails to begin with may
stand last, such as tests/mail/samples.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["pbem"]):
    from pbem.mail.grammar import read_commands
    from pbem.mail.message import Envelope
    from pbem.mail.parse import read_mail

from tests.soak.reading import RULES


def read(raw: bytes) -> None:
    """Any exception is a find."""
    mail = read_mail(raw, Envelope(received=0), RULES)
    read_commands(mail.text or "", mail.subject_core)
    if (mail.text is None) != (mail.kind != "human"):
        raise ValueError(f"kind {mail.kind} and text {mail.text!r}")


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
