"""Games in which every word that players may choose is hostile, and what a browser shows of their pages and mails.

What lives here: sending the words, as mails, and looking. What never may: an opinion of what is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree

from pbem.service.founding import Plan, found
from tests.flow.post import KEEPER, PEOPLE, Letter, Post
from tests.publish.injections import Found, Lawful, kinds_of, marked, words_of
from tests.publish.library import Site, shape
from tests.servers.chromium import Browser

RULES = """# Mutable

## 201 Turns
Players propose in turn, and most votes are enough.

clause first number: 301
clause adopted when: votes_for * 2 > eligible
"""
SHOWN = (".html", ".txt", ".svg", ".json")
"""The files a browser shows as they are. For a feed it makes a page of its own, with styles that no policy of ours allows."""
FRAMES = 40
"""Mails looked at in one page."""
LOOK = """
const frames = [...document.querySelectorAll('iframe')].map(frame => frame.contentDocument);
const looked = frames.length ? frames : [document];
const kinds = new Set();
for (const element of looked.flatMap(one => [...one.querySelectorAll('*')]))
  for (const name of ['', ...element.getAttributeNames()]) kinds.add(`${element.localName} ${name}`.trim());
return [looked.map(one => `${one.title}\\n${one.body ? one.body.innerText : one.documentElement.textContent}`), [...kinds]];
"""
"""The words shown by the page, or by each frame in it, and all kinds of elements and attributes there."""


# ---- sending ----


def two_play(post: Post, numbers: range) -> None:
    """A turn for each number: the words in a proposal, its debate and each subject; all at last in table talk."""
    begin(post, "kaffe", "Alice", "Bo")
    for turn, number in enumerate(numbers):
        who, other = ("Alice", "Bo") if turn % 2 == 0 else ("Bo", "Alice")
        proposal, subject = 301 + turn, marked("s", number)
        change = (
            f"propose enact: {marked('t', number)}",
            marked("r", number),
            "",
            f'clause points for dissent: "{marked("c", number)}" == "" ? 1 : 0',
            "end",
        )
        vote = ("", f"call vote {proposal}", f"for {proposal}")
        send(post, who, "\n".join((*change, *vote)), subject=f"[kaffe] {subject}", done=3)
        debate = f"I wonder what everybody else makes of this: {marked('d', number)}"
        send(post, other, debate, subject=f"Re: [kaffe] {proposal} {subject}", re=f"{proposal}")
        send(post, other, f"for {proposal}", subject="[kaffe]")
    talk = "\n\n".join(f"And I ask everybody what this is: {marked('p', number)}" for number in numbers)
    send(post, "Alice", talk, subject="[kaffe]")


def many_come(post: Post, game: str, numbers: range) -> None:
    """A game in which each seat is called by such words."""
    begin(post, game, "Cia", "Dan")
    for number in numbers:
        PEOPLE[f"guest {number}"] = (marked("n", number), f"g{number}@guest.example")
        lines = f"join as {marked('n', number)}"
        send(post, f"guest {number}", lines, subject=f"[{game}] {marked('s', number)}")


def begin(post: Post, game: str, *names: str) -> None:
    rules = post.folder / "rules.md"
    rules.write_text(RULES, "utf-8")
    people = tuple(PEOPLE[name] for name in names)
    found(
        post.host, Plan(game, game, "en", str(rules), KEEPER, people, {"cooling time": "0"}, True, post.now)
    )
    post.wait(0)


def send(post: Post, name: str, words: str, *, subject: str, re: str = "", done: int = 1) -> None:
    post.take(post.compose(name, words, re=re, Subject=subject))
    result = post.taken()[0].result
    assert result == f"{done} done, 0 refused, 0 asked back", (words, post.inbox(name)[-1].text)


# ---- looking ----


def parsed(site: Site, lawful: Lawful) -> Found:
    """Every page and feed, as it is read by a parser."""
    found = Found(lawful)
    for path in site.files:
        if path.endswith(".xml"):
            for text, html in texts_of(site.read(path)):
                found.look(path, words_of(text) if html else text, kinds_of(text) if html else ())
    for path in site.pages:
        html = site.read(path)
        found.look(path, words_of(html), kinds_of(html))
    return found


def texts_of(feed: str) -> Iterator[tuple[str, bool]]:
    """The texts in a feed, and whether they are HTML (RFC 4287)."""
    for element in ElementTree.fromstring(feed).iter():  # noqa: S314  # our own
        yield element.text or "", element.get("type") == "html"


def shown(browser: Browser, site: Site, lawful: Lawful) -> Found:
    """The pages of proposals, and a few of every other type of page and file, as the browser shows them."""
    found = Found(lawful)
    for path in few(path for path in site.files if path.endswith(SHOWN)):
        browser.open(site.url + path)
        (text,), kinds = browser.run(LOOK)
        if not path.endswith(".json"):  # its texts are written in yet another way
            found.look(path, text, kinds if path.endswith(".html") else ())
    found.wrong += sounds(browser, site.url)
    return found


def few(files: Iterable[str], most: int = 2) -> Iterator[str]:
    """All files but those that a game may have many of: of each type of these only some. Proposals have everything: all."""
    count: Counter[str] = Counter()
    for path in files:
        kind = shape(path)
        count[kind] += 1
        if "#" not in kind or "/proposals/" in kind or count[kind] <= most:
            yield path


def shown_mails(browser: Browser, letters: Sequence[Letter], scratch: Path, lawful: Lawful) -> Found:
    """The HTML of mails, in a browser that has no policy of its own."""
    found = Found(lawful)
    with served(scratch) as url:
        for page in range(0, len(letters), FRAMES):
            some = letters[page : page + FRAMES]
            names = [f"{page}-{place}.html" for place in range(len(some))]
            for name, letter in zip(names, some, strict=True):
                (scratch / name).write_text(letter.html, "utf-8")
            frames = "".join(f"<iframe src={name}></iframe>" for name in names)
            (scratch / f"{page}.html").write_text(
                f"<!doctype html><link rel=icon href=data:,>{frames}", "utf-8"
            )
            browser.open(f"{url}{page}.html")
            texts, kinds = browser.run(LOOK)
            for text, letter in zip(texts, some, strict=True):
                found.look(letter.subject, text)
            found.look(f"mails {page}", "", kinds)
        found.wrong += sounds(browser, url)
    return found


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder on loopback, with no header that forbids anything."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass


def sounds(browser: Browser, base: str) -> list[str]:
    """What the browser asked for elsewhere, and what it complained of; it asks every host for an icon for plain text."""
    asked = [address for address in browser.asked_for() if not address.startswith((base, "data:"))]
    complaints = [line for line in browser.complaints() if not line.startswith(f"{base}favicon.ico ")]
    return [*(f"{address} was asked for" for address in asked), *complaints]
