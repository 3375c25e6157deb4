"""No text that a player or a stranger may write is slow to deal with: twice as much of it takes about twice as long.

What lives here: each regular expression of ours against texts made for it, and what reads, compares and sets whole texts. What never
may: a limit in seconds; how fast a machine is decides nothing, only how the time grows from one size to the next.
"""

from __future__ import annotations

import functools
import random
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from types import FrameType

import pytest

from pbem.game.redline import redline
from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope
from pbem.mail.parse import read_mail
from pbem.mail.reply import new_text
from pbem.markdown import markdown
from tests.mail.test_whole_mails import HOSTILE
from tests.promises.regexes import Used, all_of_them, slow_texts
from tests.promises.table import Promise
from tests.soak.hostile import FROM
from tests.soak.reading import RULES

SIZE = 16_384
"""Signs: as long as a rule may be. It is also looked at half, and a quarter."""
GROWTH = 2.6
"""Times as long for twice as much, at most; what is quadratic takes four times as long."""
TELLING = 0.02
"""Seconds below which no time tells anything, and nothing of that size is slow."""
ENOUGH = 1.0
"""Seconds of processor time after which it is slow, however it goes on."""


CUT_SHORT = float("inf")


class _Enough(Exception):
    """It has taken long enough."""


@contextmanager
def cut_short() -> Iterator[None]:
    """Ends a regular expression that does not end by itself."""

    def enough(_: int, __: FrameType | None) -> None:
        raise _Enough

    before = signal.signal(signal.SIGVTALRM, enough)
    signal.setitimer(signal.ITIMER_VIRTUAL, ENOUGH)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(work: Callable[[str], object], text: str, times: int = 1) -> float:
    """The least of so many measurements; infinite when it was cut short."""
    taken = []
    for _ in range(times):
        begun = process_time()
        try:
            with cut_short():
                work(text)
        except _Enough:
            return CUT_SHORT
        taken.append(process_time() - begun)
    return min(taken)


def is_slow(work: Callable[[str], object], make: Callable[[int], str]) -> tuple[float, bool]:
    """The seconds for the longest text, and whether the time grows faster than the text, over two doublings."""
    whole = seconds(work, make(SIZE))
    if whole < TELLING:
        return whole, False
    if whole == CUT_SHORT:
        return ENOUGH, True
    whole = seconds(work, make(SIZE), 3)
    quarter = seconds(work, make(SIZE // 4), 3)
    return whole, whole > TELLING and whole > quarter * GROWTH**2


def asking(pattern: re.Pattern[str] | re.Pattern[bytes], way: str) -> Callable[[str], object]:
    """Asks the expression in that way, until it has given all its answers."""
    ask = getattr(pattern, way)

    def work(text: str) -> object:
        given = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
        if way in ("sub", "subn"):
            return ask(given[:0], given)
        return list(ask(given)) if way == "finditer" else ask(given)

    return work


def is_asked(promise: Promise, used: Used) -> None:
    slow, worst, tries = [], 0.0, 0
    for way in sorted(used.ways):
        work = asking(used.pattern, way)
        for text in slow_texts(used.pattern, SIZE):
            unit = text[: SIZE // 4]
            took, grows = is_slow(work, lambda size, whole=text, unit=unit: unit if size < SIZE else whole)
            worst, tries = max(worst, took), tries + 1
            slow += [f"{used.where}, {way}: {text[:20]!r}"] * grows
            if slow:
                break
    promise.shows(faults=tries, seconds=worst)
    assert slow == [], slow


@functools.cache
def expressions() -> list[Used]:
    """Found once, and not before they are asked for: it takes seconds."""
    return all_of_them()


def test_all_of_them_are_found() -> None:
    assert len(expressions()) > 150
    places = {used.where for used in expressions()}
    assert {"pbem.mail.reply._WROTE", "pbem.mail.phrases.OPENS"} & places, "those with a name"
    assert any(":" in place for place in places), "and those without"
    assert next(used.ways for used in expressions() if used.where.endswith("phrases.OPENS")) == {"match"}


@pytest.mark.slow
@pytest.mark.promise(21)
@pytest.mark.parametrize("part", range(6))
def test_no_regular_expression_is_slow(promise: Promise, part: int) -> None:
    for used in expressions()[part::6]:
        is_asked(promise, used)


@pytest.mark.promise(21)
@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"text-decoration[a-z-]*\s*:", r"\s+because", r'"(?:[^"\\]|\\.)*"', r"\w+@\w+\.example"],
)
def test_an_expression_that_is_slow_is_seen(promise: Promise, pattern: str) -> None:
    with promise.breaks(f"the regular expression {pattern}"):
        is_asked(promise, Used(re.compile(pattern), "planted", {"search"}))


def repeated(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


MARKS = ("[", "](", "[a](", "*a_", "**", ">", "- > ", "`", "``a`", "![", "<a ", "<!--", "&", "&#", "~~a", "|a", "1. ", "\t", "[a]: b\n", "# ", "a\n", "\\", "http://a.", "*a **b ", "_", "-\n", "  \n")  # fmt: skip


def is_quick(promise: Promise, work: Callable[[str], object], makes: list[Callable[[int], str]]) -> None:
    found = [is_slow(work, make) for make in makes]
    promise.shows(faults=len(found), seconds=max(took for took, _ in found))
    assert [make(12) for make, (_, slow) in zip(makes, found, strict=True) if slow] == []


@pytest.mark.promise(21)
def test_no_markdown_is_slow(promise: Promise) -> None:
    is_quick(promise, markdown, [repeated(mark) for mark in MARKS])


WORDS = "abcdefgh"


def shuffled(seed: int, signs: int) -> Callable[[int], str]:
    """Two texts of random words, one half each: words of so many signs, so that there are few or many of them."""

    def make(size: int) -> str:
        draw = random.Random(seed)  # noqa: S311  # to be made again, no secret
        return " ".join("".join(draw.choices(WORDS, k=signs)) for _ in range(size // (signs + 1)))

    return make


def edited(size: int) -> str:
    """A text, and behind it the same with a word in twenty changed."""
    words = shuffled(3, 5)(size // 2).split()
    return " ".join([*words, *(word if place % 20 else word[::-1] for place, word in enumerate(words))])


def halves_compared(text: str) -> object:
    return redline(text[: len(text) // 2], text[len(text) // 2 :])


@pytest.mark.promise(21)
def test_no_comparison_is_slow(promise: Promise) -> None:
    """The pairs that are looked at have a limit; up to it the time may grow faster, so the limit is what is looked at."""
    makes = [
        *(shuffled(seed, signs) for seed in (1, 2) for signs in (1, 2, 3, 4, 6)),
        edited,
        *map(repeated, MARKS),
    ]
    found = [seconds(halves_compared, make(2 * SIZE)) for make in makes]
    promise.shows(faults=len(found), seconds=max(found))
    assert CUT_SHORT not in found


def whole_mail(text: str) -> object:
    mail = read_mail(FROM + b"\r\n" + text.encode(), Envelope(received=0), RULES)
    return read_commands(mail.text or "", mail.subject_core)


def page(text: str) -> object:
    return read_mail(FROM + b"Content-Type: text/html\r\n\r\n" + text.encode(), Envelope(received=0), RULES)


def style(text: str) -> object:
    return page(f"<p style='{text}'>for 301</p>")


HTML = (
    "<div>",
    "<blockquote>",
    "<p style=x>",
    "&nbsp;",
    "<ul><li>",
    "<a href=x>",
    "<!--",
    "<p ",
    "x=",
    "<br>",
    "</p>",
    "<td>",
)
STYLES = ("text-decoration", "text-decoration:", "display", "display:", "display ", "margin", "border-top: solid ", "opacity:0.", "x:y;", "-", " ")  # fmt: skip


@pytest.mark.promise(21)
@pytest.mark.parametrize(("work", "units"), [(page, HTML), (style, STYLES)], ids=["page", "style"])
def test_no_html_is_slow(promise: Promise, work: Callable[[str], object], units: tuple[str, ...]) -> None:
    is_quick(promise, work, [repeated(unit) for unit in units])


@pytest.mark.slow
@pytest.mark.promise(21)
@pytest.mark.parametrize("work", [whole_mail, new_text, read_commands], ids=lambda work: work.__name__)
def test_no_mail_is_slow(promise: Promise, work: Callable[[str], object]) -> None:
    units = [
        *HOSTILE,
        *MARKS,
        "> ",
        "On Mon x wrote:\n",
        "--\n",
        "From: x\n",
        "x:\n> y\n",
        " ",
        "\u200b",
        "for all\n",
    ]
    is_quick(promise, work, [repeated(unit) for unit in units])
