"""Whether any bytes at all are read: no error, half a second and 64 MB at most. `python -m tests.soak.reading --inputs 200000`

First the mails made to hurt (hostile.py), then as many others as asked for: samples changed in one to eight places, two
samples cut and joined, scraps in any order, words of the language in any order, bytes at random. Input N of a seed is the same in each run: a failure is
printed with the words that make it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope, Inbound, MailRules
from pbem.mail.parse import read_mail
from pbem.mail.tree import forms_of
from pbem.mail.words import VOCABULARY
from tests.promises.cost import MOST_MEGABYTES, cost
from tests.soak.hostile import BOMBS, FROM, NEVER_SHOWN, SCRAPS

SAMPLES = Path(__file__).parents[1] / "mail" / "samples"
RULES = MailRules(
    ("spel@torg.example", "rost@torg.example", "studs@torg.example"), trusted_receivers=("in.torg.example",)
)
MOST_SECONDS = 0.5
_REPORT_EVERY = 20_000
WORDS = (
    *(word for table in VOCABULARY.values() for _, form in forms_of(table) for word in form.split()),
    *("301", "302", "J1", "-", ":", ",", "…", "*", "+1", "if", "Anna", "end", "slut", "clause", ">", '"'),
)
"""What commands are made of, in either language."""


class Samples:
    """The samples, and new mails out of them."""

    def __init__(self) -> None:
        self.mails = [path.read_bytes() for path in sorted(SAMPLES.glob("*.eml"))]
        self.ways: tuple[Callable[[random.Random], bytes], ...] = (
            *(self.changed, self.changed, self.changed, self.joined, self.joined, self.scraps),
            *(self.commands, self.noise),
        )

    def made(self, seed: str, number: int, most: int | None = None) -> bytes:
        """Mail `number` of that seed, or its first `most` bytes."""
        draw = random.Random(f"{seed} {number}")  # noqa: S311  # to be made again, no secret
        return draw.choice(self.ways)(draw)[:most]

    def changed(self, draw: random.Random) -> bytes:
        mail = bytearray(draw.choice(self.mails))
        for _ in range(draw.randrange(1, 9)):
            at = draw.randrange(len(mail) + 1)
            upto = min(len(mail), at + draw.choice((0, 1, 1, 4, 20, 200)))
            mail[at:upto] = self._put(draw, bytes(mail[at:upto]))
        return bytes(mail)

    def _put(self, draw: random.Random, old: bytes) -> bytes:
        """What stands in place of `old`: scraps, noise, itself again and again, or nothing."""
        way = draw.randrange(5)
        if way == 0:
            return draw.choice(SCRAPS) * draw.choice((1, 1, 2, 50, 3_000))
        if way == 1:
            return draw.randbytes(draw.randrange(1, 9))
        if way == 2:
            return old * draw.choice((2, 3, 400))
        return old + draw.choice(SCRAPS) if way == 3 else b""

    def joined(self, draw: random.Random) -> bytes:
        one, other = draw.choice(self.mails), draw.choice(self.mails)
        below = one.find(b"\n\n") + 1 or one.find(b"\r\n\r\n") + 2
        return one[: draw.randrange(below, len(one))] + other[draw.randrange(len(other)) :]

    def scraps(self, draw: random.Random) -> bytes:
        words = draw.choices(SCRAPS, k=draw.randrange(1, 120))
        return self._head(draw) + b"".join(word * draw.choice((1, 1, 1, 3, 200)) for word in words)

    def commands(self, draw: random.Random) -> bytes:
        rows = (" ".join(draw.choices(WORDS, k=draw.randrange(9))) for _ in range(draw.randrange(40)))
        return FROM + b"\r\n" + "\r\n".join(rows).encode()

    def noise(self, draw: random.Random) -> bytes:
        return self._head(draw) + draw.randbytes(draw.randrange(6_000))

    def _head(self, draw: random.Random) -> bytes:
        """Mostly the headers of a person's mail, so that what follows is read."""
        return draw.choice((b"", FROM, FROM + b"\r\n", FROM + b"Content-Type: text/html\r\n\r\n"))


def made_again(seed: str, number: int, most: int | None = None) -> str:
    """The words of the command line that read that mail alone."""
    return f"--seed {seed} --only {number}" + (f" --most {most}" if most else "")


@dataclass
class Worst:
    """The highest figure so far, and what it was of."""

    figure: float = 0.0
    of: str = "–"

    def see(self, figure: float, of: str) -> None:
        if figure > self.figure:
            self.figure, self.of = figure, of


@dataclass
class Run:
    """What a run found."""

    inputs: int = 0
    uncaught: int = 0
    """Exceptions."""
    wrong: int = 0
    """Readings that contradict themselves, or cost more memory than they may."""
    slow: int = 0
    seconds: Worst = field(default_factory=Worst)
    megabytes: Worst = field(default_factory=Worst)
    kinds: dict[str, int] = field(default_factory=dict)

    @property
    def failures(self) -> int:
        return self.uncaught + self.wrong + self.slow

    def take(self, raw: bytes, name: str) -> None:
        """Read one mail, and print what is wrong with how."""
        self.inputs += 1
        with cost() as spent:
            wrong, uncaught = self._read(raw)
        self.seconds.see(spent.seconds, name)
        self.megabytes.see(spent.megabytes, name)
        wrong += [f"{spent.megabytes:.0f} MB"] * (spent.megabytes > MOST_MEGABYTES)
        slow = [f"{spent.seconds:.2f} s"] * (spent.seconds > MOST_SECONDS)
        self.uncaught += len(uncaught)
        self.wrong += len(wrong)
        self.slow += len(slow)
        for fault in (*uncaught, *wrong, *slow):
            sys.stdout.write(f"FAILED {name} ({len(raw):,} bytes): {fault}\n")

    def _read(self, raw: bytes) -> tuple[list[str], list[str]]:
        """What is wrong with how a mail is read, and the exception if there was one."""
        try:
            mail = read_mail(raw, Envelope(received=0), RULES)
            read_commands(mail.text or "", mail.subject_core)
        except Exception:  # the very thing that is looked for
            return [], [traceback.format_exc()]
        self.kinds[mail.kind] = self.kinds.get(mail.kind, 0) + 1
        return list(_contradictions(mail)), []

    def report(self, began: float) -> str:
        memory = (
            f"{self.megabytes.figure:.1f} MB ({self.megabytes.of})"
            if self.megabytes.figure
            else "not measured"
        )
        return (
            f"{self.inputs:,} inputs in {perf_counter() - began:.0f} s, {self.failures} failures; "
            f"worst time {self.seconds.figure:.3f} s ({self.seconds.of}), worst memory {memory}; "
            + ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.kinds.items()))
        )


def _contradictions(mail: Inbound) -> Iterator[str]:
    if (mail.text is None) != (mail.kind != "human"):
        yield f"kind {mail.kind} and text {mail.text!r}"
    if mail.authenticated is not None and mail.authenticated != mail.author:
        yield f"{mail.authenticated} is credited with a mail of {mail.author}"
    if shown := NEVER_SHOWN.intersection((mail.text or "") + mail.subject + (mail.author or "")):
        yield f"shows {shown}"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--inputs", type=int, default=20_000)
    asked.add_argument("--seed", default="1")
    asked.add_argument("--only", type=int, help="make input number N of the seed again, and read it alone")
    asked.add_argument("--most", type=int, help="of each mail, so many bytes")
    given = asked.parse_args()
    samples, began = Samples(), perf_counter()
    run = Run()
    numbers = range(given.inputs) if given.only is None else range(given.only, given.only + 1)
    for name, raw in BOMBS.items() if given.only is None else ():
        run.take(raw, name)
    for number in numbers:
        run.take(samples.made(given.seed, number, given.most), made_again(given.seed, number, given.most))
        if run.inputs % _REPORT_EVERY == 0:
            sys.stdout.write(run.report(began) + "\n")
            sys.stdout.flush()
    sys.stdout.write(run.report(began) + "\n")
    sys.exit(1 if run.failures else 0)


if __name__ == "__main__":
    main()
